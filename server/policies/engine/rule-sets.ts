import * as cedar from '@cedar-policy/cedar-wasm/nodejs'
import { Lru } from './lru.ts'
import type { Evaluation } from './rule.ts'
import { matches, type Places, placesOf, type Rule, rulesOf } from './rule.ts'
import type { CedarRequest, PolicyText } from './terms.ts'

// Only in the decision worker. Weights are rules: a pre-parsed one takes Cedar about 3 KB.
const rulesInSets = 50_000
const rulesPrepared = 20_000
/** Of one set; more actions and resources than that begin again. */
const mostSlices = 2000

/** The rules of a set that can matter to one principal, action and resource. */
export type Slice = {
  key: string
  rules: readonly Rule[]
  readsArguments: boolean
  /** Places in the set of the policies that the rules stand in. */
  policies: readonly number[]
}
export type RuleSet = {
  /** Undefined: one of the texts can't be used, so nothing can be decided by this set. */
  rules: readonly Rule[] | undefined
  /** The places of each text in the set: two policies may have the same one. */
  policiesOf: ReadonlyMap<string, readonly number[]>
  slices: Map<string, Slice>
}

const sets = new Lru<RuleSet>(rulesInSets)
const texts = new Lru<readonly Rule[] | 'unusable'>(rulesInSets)

export const findSet = (key: string): RuleSet | undefined => sets.get(key)

/** Parses what was not parsed before; equal digests are equal texts. */
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

/** Cedar can replace a pre-parsed set but not drop one: a slot that is given up holds nothing, and is used again. */
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

/** One question to Cedar. The request is not validated again: request.ts and argument-values.ts make it to the schema. */
export function evaluateSlice(slice: Slice, request: CedarRequest, fulfilled: readonly string[]): Evaluation {
  if (slice.rules.length === 0) return { outcome: 'decided', decision: 'deny', determining: [], erring: [] }
  const { slot, usable } = prepare(slice)
  if (!usable) return { outcome: 'unusable_policy' }
  const answer = cedar.statefulIsAuthorized({
    ...request,
    context: { ...request.context, fulfilled: [...fulfilled] },
    preparsedPolicySetId: slot,
  })
  // Its message would repeat the context's values: it stays here.
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
