import { notFound } from '#lib/errors.ts'
import { DecisionReason, Effect, RecentDecisions, RecentDecisionsInput } from '#lib/schemas/policies.ts'
import { query } from '#server/kernel/operation.ts'
import { listDecisionsBy } from './decision-store.ts'
import { findPolicy } from './store.ts'

/** How many decisions back it looks, whichever policies decided them. */
const searched = 5000

/** The newest decisions in which a rule of the policy determined the outcome. Arguments are not told. */
export const recentDecisions = query({
  permission: 'policy:read',
  input: RecentDecisionsInput,
  output: RecentDecisions,
  async run({ tx, tenant, input }) {
    if ((await findPolicy(tx, tenant.id, input.policyId)) === undefined) throw notFound()
    const rows = await listDecisionsBy(tx, tenant.id, input.policyId, { searched, limit: input.limit })
    return {
      searched,
      items: rows.map(({ id, createdAt, effect, reasons, ...row }) => ({
        ...row,
        decisionId: id,
        decidedAt: createdAt.toISOString(),
        effect: Effect.parse(effect),
        reasons: DecisionReason.array()
          .parse(reasons)
          .filter((reason) => reason.policyId === input.policyId),
      })),
    }
  },
})
