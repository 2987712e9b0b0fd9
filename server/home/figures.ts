import { decimal } from '#lib/rules/cost.ts'
import { HomeFigures, ZoneInput } from '#lib/schemas/home/overview.ts'
import { databaseClock } from '#server/kernel/db/clock.ts'
import { query } from '#server/kernel/operation.ts'
import { figureDaysIn } from './days.ts'
import { countDecisions, countRuns, listTightBudgets, sumCosts } from './figures-store.ts'

const mostBudgets = 5

/** The figures of two weeks: decisions, executions, cost, and the budgets that are nearly used. */
export const figures = query({
  permission: 'any',
  input: ZoneInput,
  output: HomeFigures,
  async run({ tx, tenant, principal: { permissions }, input: { timeZone } }) {
    const days = figureDaysIn(timeZone, (await databaseClock(tx))())
    const mayReadRuns = permissions.has('execution:read')
    const costs = mayReadRuns ? await sumCosts(tx, tenant.id, days) : undefined
    return {
      days: days.map(({ from }) => from.toISOString()),
      decisions: permissions.has('approval:list') ? await countDecisions(tx, tenant.id, days) : null,
      runs: mayReadRuns ? await countRuns(tx, tenant.id, days) : null,
      cost: costs === undefined ? null : byCurrency(costs, days.length),
      budgets: permissions.has('policy:read')
        ? (await listTightBudgets(tx, tenant.id, mostBudgets)).map(budgetView)
        : null,
    }
  },
})

/** Amounts of different currencies are never added. */
function byCurrency(rows: Awaited<ReturnType<typeof sumCosts>>, days: number) {
  const found = new Map<string, string[]>()
  for (const { currency, day, micros } of rows) {
    const byDay = found.get(currency) ?? Array.from({ length: days }, () => '0')
    byDay[day] = decimal(BigInt(micros))
    found.set(currency, byDay)
  }
  return [...found].map(([currency, byDay]) => ({ currency, byDay }))
}

const budgetView = ({ quota, used, endsAt, ...row }: Awaited<ReturnType<typeof listTightBudgets>>[number]) => ({
  ...row,
  limit: decimal(BigInt(quota)),
  used: decimal(BigInt(used)),
  endsAt: endsAt.toISOString(),
})
