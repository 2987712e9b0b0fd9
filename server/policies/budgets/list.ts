import { notFound } from '#lib/errors.ts'
import { decimal } from '#lib/rules/cost.ts'
import { Budget, BudgetList, ListBudgetsInput } from '#lib/schemas/policies.ts'
import { query } from '#server/kernel/operation.ts'
import { pageOf } from '#server/kernel/page.ts'
import { findPolicy } from '#server/policies/store.ts'
import { databaseTime, listWindows } from './budget-store.ts'

/**
 * policies.budgets: the usage of a policy's budgets in windows that have not ended, newest window first. Budgets that no call
 * has used yet are not listed. An unknown policy is 404.
 */
export const listBudgets = query({
  permission: 'policy:read',
  input: ListBudgetsInput,
  output: BudgetList,
  async run({ tx, tenant, input: { policyId, limit, cursor } }) {
    if ((await findPolicy(tx, tenant.id, policyId)) === undefined) throw notFound()
    const rows = await listWindows(tx, tenant.id, { policyId, at: await databaseTime(tx) }, limit + 1, cursor)
    return pageOf(rows.map(budgetView), limit, ({ id }) => id)
  },
})

const budgetView = ({ quota, used, open, startsAt, endsAt, ...row }: Awaited<ReturnType<typeof listWindows>>[number]) =>
  Budget.parse({
    ...row,
    limit: decimal(BigInt(quota)),
    used: decimal(BigInt(used)),
    reserved: decimal(BigInt(open)),
    startsAt: startsAt.toISOString(),
    endsAt: endsAt?.toISOString() ?? null,
  })
