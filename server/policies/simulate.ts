import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { canonicalJson } from '#lib/jcs.ts'
import { DecisionFacts, Effect, Obligation, SimulateInput, SimulateOutput } from '#lib/schemas/policies.ts'
import { query } from '#server/kernel/operation.ts'
import { judgeBudgets } from '#server/policies/budgets/judge-budgets.ts'
import { outcomeOf, usual } from '#server/policies/decisions/decide.ts'
import type { DecidingPolicy } from '#server/policies/decisions/deciding-set.ts'
import { findLastSearched, listDecisions } from '#server/policies/decisions/decision-store.ts'
import { decidingSet } from '#server/policies/decisions/policy-set.ts'
import { recordedRequest, schemaReader } from '#server/policies/decisions/recorded-request.ts'
import { findPolicy, findVersion } from './store.ts'

/** Decisions evaluated concurrently: fewer than a batch of the decision worker, so that agents' calls are not held up. */
const concurrent = 8
/** The most decisions that one page searches, however many are in the environment. */
const searched = 5000
/** Milliseconds after which a page ends early. */
const longestMs = 10_000

type Effects = z.infer<typeof Effect>
type Item = SimulateOutput['items'][number]

/** Sorts the most critical changes first: calls that would be newly allowed. */
const weight = ({ before, after }: { before: Effects; after: Effects }): number => {
  const openness = { deny: 0, require_approval: 1, allow: 2 }
  return openness[after] - openness[before]
}
const byWeight = (a: Parameters<typeof weight>[0], b: Parameters<typeof weight>[0]): number => weight(b) - weight(a)

/** Recomputes recorded decisions as if a version had been bound, without recording or changing anything. */
export const simulate = query({
  permission: 'policy:author',
  input: SimulateInput,
  output: SimulateOutput,
  async run({ tx, tenant, input }) {
    const [policy, version] = await Promise.all([
      findPolicy(tx, tenant.id, input.policyId),
      findVersion(tx, tenant.id, input.policyId, input.version),
    ])
    if (policy === undefined) throw notFound('No policy has this id.')
    if (version === undefined) throw notFound(`${policy.name} does not have a version ${input.version}.`)
    const draft: DecidingPolicy = {
      policyId: policy.id,
      name: policy.name,
      version: version.version,
      digest: version.digest,
    }
    const period = { ...input, from: new Date(input.from), to: new Date(input.to) }
    const page = { searched, limit: input.limit + 1, cursor: input.cursor }
    const rows = await listDecisions(tx, tenant.id, period, page)
    const wanted = rows.slice(0, input.limit)
    const read = schemaReader(tx, tenant.id)
    const began = performance.now()
    const items: Item[] = []
    let seen = 0
    let notStored = 0
    while (seen < wanted.length && performance.now() - began < longestMs) {
      const batch = wanted.slice(seen, seen + concurrent)
      items.push(...(await Promise.all(batch.map(flipOf))).flatMap((item) => item ?? []))
      notStored += batch.filter(({ request }) => request === null).length
      seen += batch.length
    }
    items.sort(byWeight)
    const more = seen < rows.length
    // A short page means that nothing is older, or that the page reached its search limit.
    const last = more ? undefined : await findLastSearched(tx, tenant.id, period, searched, input.cursor)
    return {
      evaluated: seen - notStored,
      notStored,
      changed: items.length,
      flips: flipsOf(items),
      items,
      nextCursor: (more ? wanted[seen - 1]?.id : last?.id) ?? null,
    }

    async function flipOf(row: (typeof rows)[number]): Promise<Item | undefined> {
      // The request is no longer stored.
      if (row.request === null) return undefined
      const { request, now, budgets, whole } = await recordedRequest(read, row.request)
      const recorded = DecisionFacts.shape.policies.parse(row.policies).filter(({ version }) => version > 0)
      // By today's rules. Only the recorded states of budgets are known, so other budgets are assumed to cover the call.
      const outcomeBy = async (policies: DecidingPolicy[], fulfilled: string[]) => {
        const set = decidingSet(tx, tenant.id, { ...request, fulfilled }, policies)
        return judgeBudgets(await outcomeOf(set, true, { ...request, fulfilled }, now, usual, whole), budgets)
      }
      const outcome = await outcomeBy(withDraft(recorded, draft), asOfDraft(request.fulfilled, recorded, draft))
      const before = Effect.parse(row.effect)
      if (outcome.effect === before) {
        const terms = termsOf(outcome.obligations)
        if (terms === termsOf(z.array(Obligation).parse(row.obligations))) return undefined
        // An earlier version of the server recorded other parameters for the same rules.
        if (terms === termsOf((await outcomeBy(recorded, request.fulfilled)).obligations)) return undefined
      }
      return {
        decisionId: row.id,
        decidedAt: row.createdAt.toISOString(),
        agentId: row.agentId,
        action: row.action,
        resource: row.resource,
        before,
        after: outcome.effect,
        reasonsBefore: DecisionFacts.shape.reasons.parse(row.reasons),
        reasonsAfter: outcome.reasons,
      }
    }
  },
})

/** The recorded policies with the draft in place of its policy. They exclude the manifest's rules, which are regenerated. */
function withDraft(bound: readonly DecidingPolicy[], draft: DecidingPolicy): DecidingPolicy[] {
  return bound.some(({ policyId }) => policyId === draft.policyId)
    ? bound.map((policy) => (policy.policyId === draft.policyId ? draft : policy))
    : [...bound, draft]
}

/**
 * The tokens of granted approvals, as if the draft had asked for them: a token names the digest of the version whose rule asked, and a
 * rule of the draft is the same one if it has the same name.
 */
function asOfDraft(fulfilled: readonly string[], bound: readonly DecidingPolicy[], draft: DecidingPolicy): string[] {
  const replaced = bound.find(({ policyId }) => policyId === draft.policyId)
  if (replaced === undefined) return [...fulfilled]
  return fulfilled.map((token) => token.replace(`:${replaced.digest}/`, `:${draft.digest}/`))
}

/** Who must approve and what is masked, comparable whichever rules say so. */
const termsOf = (obligations: readonly Obligation[]): string =>
  canonicalJson(
    obligations
      .filter(({ kind }) => kind !== 'budget')
      .map(({ kind, parameters: { token, ...rest } }) => canonicalJson({ kind, ...rest }))
      .sort(),
  )

function flipsOf(items: readonly Item[]): SimulateOutput['flips'] {
  const counts = new Map<string, SimulateOutput['flips'][number]>()
  for (const { before, after } of items) {
    const key = `${before} ${after}`
    counts.set(key, { before, after, count: (counts.get(key)?.count ?? 0) + 1 })
  }
  return [...counts.values()].sort(byWeight)
}
