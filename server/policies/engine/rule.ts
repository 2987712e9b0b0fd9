import type { EntityUidJson, PolicyJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs'
import * as cedar from '@cedar-policy/cedar-wasm/nodejs'
import { isObligationKind } from '#server/policies/language/annotations.ts'
import { cedarString } from '#server/policies/language/cedar-string.ts'
import { withToken } from '#server/policies/language/lifting-token.ts'
import { annotationsOf, readsMember } from '#server/policies/language/lint.ts'
import { ruleInWords } from '#server/policies/language/rule-in-words.ts'
import { splitRules } from '#server/policies/language/split-rules.ts'
import type { CedarRequest, PolicyText, RuleFacts } from './terms.ts'

/** One rule of a policy in the decision worker. */
export type Rule = {
  /** Digest of the policy's source, and the rule's position in it. */
  id: string
  digest: string
  facts: RuleFacts
  effect: 'permit' | 'forbid'
  /** The text that Cedar evaluates: the author's, with the digest added to the token in its lift. */
  text: string
  scope: Pick<PolicyJson, 'principal' | 'action' | 'resource'>
  readsArguments: boolean
}

/** The outcome of evaluating the rules of a set once. */
export type Evaluation =
  /** `determining`: all satisfied forbids, or else all satisfied permits. `erring`: rules that Cedar skipped because they failed. */
  | { outcome: 'decided'; decision: 'allow' | 'deny'; determining: readonly Rule[]; erring: readonly Rule[] }
  /** A source does not parse. */
  | { outcome: 'unusable_policy' }
  /** The request can't be evaluated. */
  | { outcome: 'invalid_request' }

/** The token that lifts a soft forbid. It contains the source's digest, so a grant does not lift the rule in another version. */
export const tokenOf = (digest: string, { annotations }: RuleFacts): string =>
  `${annotations.obligation}:${digest}/${annotations.id}`

/** The rules of a source; undefined when this version of Cedar does not parse it. */
export function rulesOf({ digest, source }: PolicyText): Rule[] | undefined {
  const rules: Rule[] = []
  for (const [order, { text }] of splitRules(source).entries()) {
    const parsed = cedar.policyToJson(text)
    if (parsed.type === 'failure') return undefined
    const { effect, principal, action, resource, conditions } = parsed.json
    const facts = { order, text, annotations: annotationsOf(parsed.json), words: ruleInWords(parsed.json) }
    const soft = isObligationKind(facts.annotations.obligation ?? '')
    // Without a lift in the known form, the rule can't be lifted and is a hard forbid.
    const evaluated = soft ? (withToken(text, cedarString(tokenOf(digest, facts))) ?? text) : text
    rules.push({
      id: `${digest}/${order}`,
      digest,
      facts,
      effect,
      text: evaluated,
      scope: { principal, action, resource },
      readsArguments: conditions.some(({ body }) => readsMember(body, 'arguments')),
    })
  }
  return rules
}

/** An entity of a request, with the entities it is in. */
export type Place = { uid: TypeAndId; within: readonly TypeAndId[] }
export type Places = Record<'principal' | 'action' | 'resource', Place>

/** The positions of principal, action and resource in the hierarchy of the request's own entities. */
export function placesOf(request: CedarRequest): Places {
  const place = (uid: TypeAndId): Place => {
    const parents = request.entities.find((entity) => same(uidOf(entity.uid), uid))?.parents ?? []
    return { uid, within: parents.map(uidOf) }
  }
  return { principal: place(request.principal), action: place(request.action), resource: place(request.resource) }
}

/**
 * Whether the scope of a rule can match. Scopes cannot contain expressions, so a rule excluded here could neither have been satisfied
 * nor have failed. An unknown form of scope matches.
 */
export function matches({ scope }: Rule, places: Places): boolean {
  return (
    constraintMatches(scope.principal, places.principal) &&
    constraintMatches(scope.action, places.action) &&
    constraintMatches(scope.resource, places.resource)
  )
}

function constraintMatches(constraint: PolicyJson['principal'] | PolicyJson['action'], place: Place): boolean {
  const under = (uid: TypeAndId) => [place.uid, ...place.within].some((one) => same(one, uid))
  switch (constraint.op) {
    case 'All':
      return true
    case '==':
      return 'entity' in constraint ? same(uidOf(constraint.entity), place.uid) : true
    case 'in':
      if ('entities' in constraint) return constraint.entities.some((entity) => under(uidOf(entity)))
      return 'entity' in constraint ? under(uidOf(constraint.entity)) : true
    case 'is':
      if (constraint.entity_type !== place.uid.type) return false
      return constraint.in !== undefined && 'entity' in constraint.in ? under(uidOf(constraint.in.entity)) : true
  }
}

const uidOf = (uid: EntityUidJson): TypeAndId => ('__entity' in uid ? uid.__entity : uid)
const same = (a: TypeAndId, b: TypeAndId): boolean => a.type === b.type && a.id === b.id
