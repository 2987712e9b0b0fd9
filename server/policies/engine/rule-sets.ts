import * as cedar from '@cedar-policy/cedar-wasm/nodejs'
import { Lru } from './lru.ts'
import type { Evaluation } from './rule.ts'
import { matches, type Places, placesOf, type Rule, rulesOf } from './rule.ts'
import type { CedarRequest, PolicyText } from './terms.ts'

// Used only in the decision worker. Weighted by rules: a pre-parsed rule takes about 3 KB in Cedar.
const rulesInSets = 50_000
const rulesPrepared = 20_000
/** The most slices cached per set; the cache is cleared when there are more combinations of principal, action and resource. */
const mostSlices = 2000

/** The rules of a set that can match one principal, action and resource. */
export type Slice = {
  key: string
  rules: readonly Rule[]
  readsArguments: boolean
  /** Positions in the set of the policies that these rules belong to. */
  policies: readonly number[]
}
export type RuleSet = {
  /** Undefined: a source of the set can't be used, so the set can't decide anything. */
  rules: readonly Rule[] | undefined
  /** The positions of each source in the set: two policies may have the same source. */
  policiesOf: ReadonlyMap<string, readonly number[]>
  slices: Map<string, Slice>
}

const sets = new Lru<RuleSet>(rulesInSets)
const texts = new Lru<readonly Rule[] | 'unusable'>(rulesInSets)

export const findSet = (key: string): RuleSet | undefined => sets.get(key)

/** Parses the sources that are not cached; sources with equal digests are identical. */
export function loadSet(key: string, policies: readonly PolicyText[]): RuleSet {
  const policiesOf = new Map<string, number[]>()
  for (const [index, { digest }] of policies.entries())
    policiesOf.set(digest, [...(policiesOf.get(digest) ?? []), index])
  const parsed = [...new Map(policies.map((policy) => [policy.digest, policy])).values()].map(parse)
  const usable = parsed.flatMap((rules) => (rules === 'unusable' ? [] : [rules]))
  const rules = usable.length === parsed.length ? usable.flat() : undefined
  const made: RuleSet = { rules, policiesOf, slices: new Map() }
  sets.set(key, made, (rules?.length ?? 0) + 1)
  return made
}

function parse(policy: PolicyText): readonly Rule[] | 'unusable' {
  const known = texts.get(policy.digest)
  if (known !== undefined) return known
  const rules = rulesOf(policy) ?? 'unusable'
  texts.set(policy.digest, rules, rules.length + 1)
  return rules
}

export function sliceOf(set: RuleSet, request: CedarRequest): Slice {
  const places = placesOf(request)
  const place = JSON.stringify(places)
  const known = set.slices.get(place)
  if (known !== undefined) return known
  const made = cut(set, places)
  if (set.slices.size >= mostSlices) set.slices.clear()
  set.slices.set(place, made)
  return made
}

function cut(set: RuleSet, places: Places): Slice {
  const rules = (set.rules ?? []).filter((rule) => matches(rule, places))
  const digests = new Set(rules.map(({ digest }) => digest))
  const policies = [...digests].flatMap((digest) => set.policiesOf.get(digest) ?? []).sort((a, b) => a - b)
  const readsArguments = rules.some((rule) => rule.readsArguments)
  return { key: rules.map(({ id }) => id).join(' '), rules, readsArguments, policies }
}

/** Cedar can replace a pre-parsed set but not delete it, so released slots are emptied and reused. */
const free: string[] = []
let slots = 0
const prepared = new Lru<{ slot: string; usable: boolean }>(rulesPrepared, ({ slot }) => {
  cedar.preparsePolicySet(slot, { staticPolicies: {} })
  free.push(slot)
})

function prepare({ key, rules }: Slice): { slot: string; usable: boolean } {
  const known = prepared.get(key)
  if (known !== undefined) return known
  const slot = free.pop() ?? `slot-${slots++}`
  const staticPolicies = Object.fromEntries(rules.map(({ id, text }) => [id, text]))
  const made = { slot, usable: cedar.preparsePolicySet(slot, { staticPolicies }).type === 'success' }
  prepared.set(key, made, rules.length + 1)
  return made
}

/** Evaluates one request in Cedar. It is not validated again: request.ts and argument-values.ts build it to match the schema. */
export function evaluateSlice(slice: Slice, request: CedarRequest, fulfilled: readonly string[]): Evaluation {
  if (slice.rules.length === 0) return { outcome: 'decided', decision: 'deny', determining: [], erring: [] }
  const { slot, usable } = prepare(slice)
  if (!usable) return { outcome: 'unusable_policy' }
  const answer = cedar.statefulIsAuthorized({
    ...request,
    context: { ...request.context, fulfilled: [...fulfilled] },
    preparsedPolicySetId: slot,
  })
  // Cedar's message repeats values of the context, so it is not passed on.
  if (answer.type === 'failure') return { outcome: 'invalid_request' }
  const { decision, diagnostics } = answer.response
  const fired = new Set(diagnostics.reason)
  const failed = new Set(diagnostics.errors.map(({ policyId }) => policyId))
  return {
    outcome: 'decided',
    decision,
    determining: slice.rules.filter(({ id }) => fired.has(id)),
    erring: slice.rules.filter(({ id }) => failed.has(id)),
  }
}
