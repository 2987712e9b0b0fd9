import type { EntityUidJson, PolicyJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs'
import * as cedar from '@cedar-policy/cedar-wasm/nodejs'
import { isObligationKind } from '#server/policies/language/annotations.ts'
import { cedarString } from '#server/policies/language/cedar-string.ts'
import { withToken } from '#server/policies/language/lifting-token.ts'
import { annotationsOf, readsMember } from '#server/policies/language/lint.ts'
import { splitRules } from '#server/policies/language/split-rules.ts'
import type { CedarRequest, PolicyText, RuleFacts } from './terms.ts'

/** One rule of a policy as the decision worker keeps it. */
export type Rule = {
  /** Digest of the policy's text, and the rule's place in it. */
  id: string
  digest: string
  facts: RuleFacts
  /** What Cedar evaluates: the author's text, its lift naming the digest too. */
  text: string
  scope: Pick<PolicyJson, 'principal' | 'action' | 'resource'>
  readsArguments: boolean
}

/** The outcome of evaluating the rules of a set once. */
export type Evaluation =
  /** `determining`: all satisfied forbids, else all satisfied permits. `erring`: rules that Cedar would have skipped. */
  | { outcome: 'decided'; decision: 'allow' | 'deny'; determining: readonly Rule[]; erring: readonly Rule[] }
  /** The texts do not parse. */
  | { outcome: 'unusable_policy' }
  /** The request can't be evaluated. */
  | { outcome: 'invalid_request' }

/** What lifts a soft forbid: it names the text, so that in another version of the policy the same grant lifts nothing. */
export const tokenOf = (digest: string, { annotations }: RuleFacts): string =>
  `${annotations.obligation}:${digest}/${annotations.id}`

/** The rules of a text; undefined when this version of Cedar does not parse it. */
export function rulesOf({ digest, source }: PolicyText): Rule[] | undefined {
  const rules: Rule[] = []
  for (const [order, { text }] of splitRules(source).entries()) {
    const parsed = cedar.policyToJson(text)
    if (parsed.type === 'failure') return undefined
    const { principal, action, resource, conditions } = parsed.json
    const facts = { order, text, annotations: annotationsOf(parsed.json) }
    const soft = isObligationKind(facts.annotations.obligation ?? '')
    // Without a lift in the known form nothing lifts it: then it is a hard one.
    const evaluated = soft ? (withToken(text, cedarString(tokenOf(digest, facts))) ?? text) : text
    rules.push({
      id: `${digest}/${order}`,
      digest,
      facts,
      text: evaluated,
      scope: { principal, action, resource },
      readsArguments: conditions.some(({ body }) => readsMember(body, 'arguments')),
    })
  }
  return rules
}

/** Entities that are below others in a request: the entity itself and what it is in. */
export type Place = { uid: TypeAndId; within: readonly TypeAndId[] }
export type Places = Record<'principal' | 'action' | 'resource', Place>

/** Where the request's own entities say that its principal, action and resource stand. */
export function placesOf(request: CedarRequest): Places {
  const place = (uid: TypeAndId): Place => {
    const parents = request.entities.find((entity) => same(uidOf(entity.uid), uid))?.parents ?? []
    return { uid, within: parents.map(uidOf) }
  }
  return { principal: place(request.principal), action: place(request.action), resource: place(request.resource) }
}

/**
 * Whether the scope of a rule can match. A scope has no expressions, so a rule that is left out here would not have been
 * satisfied, and could not have failed. What is not understood matches.
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
