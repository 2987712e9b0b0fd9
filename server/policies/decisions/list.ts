import { notFound } from '#lib/errors.ts'
import { DecisionList, DecisionReason, Effect, ListDecisionsInput } from '#lib/schemas/policies.ts'
import { boundPage } from '#server/kernel/bound/page.ts'
import { query } from '#server/kernel/operation.ts'
import { findPolicy } from '#server/policies/store.ts'
import { findLastSearched, listFilteredDecisions } from './decision-store.ts'

/** The most decisions that one page searches, however many match. */
const searched = 5000

/**
 * policies.decisions: recorded decisions, newest first, filtered by the policy whose rules determined them, agent, environment,
 * effect and period. Arguments are not included. An unknown policy is 404.
 */
export const listDecisions = query({
  permission: 'policy:read',
  input: ListDecisionsInput,
  output: DecisionList,
  async run({ tx, tenant, input }) {
    const { policyId, cursor, limit } = input
    if (policyId !== undefined && (await findPolicy(tx, tenant.id, policyId)) === undefined) throw notFound()
    const filter = { ...input, from: timeOf(input.from), to: timeOf(input.to) }
    const rows = await listFilteredDecisions(tx, tenant.id, filter, { searched, limit: limit + 1, cursor })
    const page = { rows, limit, idOf: ({ id }: { id: string }) => id }
    const { items, nextCursor } = await boundPage(tx, tenant.id, 'decision', page)
    const last = nextCursor === null ? await findLastSearched(tx, tenant.id, filter, searched, cursor) : undefined
    return {
      searched,
      nextCursor: nextCursor ?? last?.id ?? null,
      items: items.map(({ id, createdAt, effect, reasons, ...row }) => ({
        ...row,
        decisionId: id,
        decidedAt: createdAt.toISOString(),
        effect: Effect.parse(effect),
        reasons: DecisionReason.array()
          .parse(reasons)
          .filter((reason) => policyId === undefined || reason.policyId === policyId),
      })),
    }
  },
})

const timeOf = (text: string | undefined): Date | undefined => (text === undefined ? undefined : new Date(text))
