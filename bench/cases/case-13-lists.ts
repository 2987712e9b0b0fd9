import { roleNames } from '#lib/permissions.ts'
import { appendAudit } from '#server/kernel/audit/append.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { adoptTenant } from '#server/kernel/bound/adopt.ts'
import { actorOfCall } from '#server/kernel/operation.ts'
import { type ListOperation, listOperations } from '#server/testing/list-operations.ts'
import { fillLists, nthId } from '#server/testing/long-lists.ts'
import { type Statement, statementsOf } from '#server/testing/statements.ts'
import { testTenant } from '#server/testing/tenant.ts'
import { type Lab, perform } from '../lab.ts'
import { type Comparison, type comparer, median, type Side } from '../measure.ts'
import { type Figure, figure, number } from '../report.ts'

const limit = 50
const calls = 15
const rowsOfEach = 1000
const pageLimitMs = 3
/** Required inputs of the lists; the test of long lists measures filters, in rows. */
const required: Record<string, unknown> = {
  id: nthId(1),
  policyId: nthId(1),
  version: 1,
  environment: 'nowhere',
  from: '2024-06-01T00:00:00.000Z',
  to: '2099-01-01T00:00:00.000Z',
}

/** Every list of the operation catalog, with the input of its first page. */
export const allLists = (): ListOperation[] => listOperations((_name, property) => [required[property] ?? nthId(1)])

/** The first page of every list of the operation catalog, compared with its SELECT alone; then the same lists with very many unbound rows. */
export async function lists(lab: Lab, compare: ReturnType<typeof comparer>, many: number): Promise<Figure[]> {
  const operations = allLists()
  const { tenant, caller } = await filledTenant(lab)
  // As in an installation, where each page is compared with the log.
  if (!(await adoptTenant(tenant.id))) throw new Error('The rows could not be bound.')
  // A page of the log has usual records again: those of the adoption have 500 states each.
  await lab.runtime.database.inTenant(tenant.id, async (tx) => {
    for (let index = 0; index <= limit; index++)
      await appendAudit(tx, tenant, {
        actor: actorOfCall(caller.principal),
        action: 'agent.updated',
        resource: { type: 'agent', id: nthId(1) },
        reason: 'It is due.',
      })
  })
  const ratios: { name: string; result: Comparison }[] = []
  for (const operation of operations) {
    const page = await pageStatement(operation, caller, lab)
    if (page === undefined) continue
    const side = (name: string, once: () => Promise<unknown>): Side => ({
      name,
      database: true,
      async run(deadline) {
        let done = 0
        do {
          await once()
          done += 1
        } while (performance.now() < deadline)
        return done
      },
    })
    const byHand = side('SELECT', () => lab.owner.query({ name: `hand ${operation.name}`, ...page }))
    const result = await compare(
      byHand,
      side('countersign', () => read(operation, caller)),
      { rounds: 1 },
    )
    ratios.push({ name: operation.name, result })
  }
  const growing = await filledTenant(lab)
  const few = await timesOf(operations, growing.caller)
  await growing.fill(rowsOfEach, many)
  const growth = (await timesOf(operations, growing.caller)).map(({ name, ms }, index) => ({
    name,
    growth: ms / (few[index]?.ms ?? Number.NaN),
  }))
  const shares = ratios.map(({ result }) => result.ratio)
  const worst = ratios.reduce((one, other) => (other.result.ratio < one.result.ratio ? other : one))
  const steepest = growth.reduce((one, other) => (other.growth > one.growth ? other : one))
  const flat = median(growth.map((one) => one.growth))
  const costs = ratios.map(({ name, result }) => ({ name, ms: 1000 / result.ours }))
  const dearest = costs.reduce((one, other) => (other.ms > one.ms ? other : one))
  return [
    figure({
      case: 13,
      job: `first page of ${ratios.length} lists, /CPU s`,
      ratio: `${number(median(shares))}× (least: ${number(worst.result.ratio)}×, ${worst.name})`,
      target: '≥ 0.5×',
      met: median(shares) >= 0.5 ? 'yes' : 'no',
      note: 'median of the lists; peer: the SELECT of the page alone, prepared, bypassing row-level security',
      data: ratios,
    }),
    figure({
      case: 13,
      job: `CPU of a page of ${limit}, the dearest list`,
      ours: `${number(dearest.ms)} ms (${dearest.name}; median: ${number(median(costs.map(({ ms }) => ms)))} ms)`,
      target: `≤ ${pageLimitMs} ms`,
      limit: 'a keyset page 0.4 ms',
      met: dearest.ms <= pageLimitMs ? 'yes' : 'no',
      note: 'of this process and of PostgreSQL, with 1,000 bound rows',
      data: costs,
    }),
    figure({
      case: 13,
      job: `the same with ${number(many)} rows each`,
      ours: `${number(flat)}× the time (most: ${number(steepest.growth)}×, ${steepest.name})`,
      target: '≤ 1.5×',
      met: flat <= 1.5 ? 'yes' : 'no',
      note: `median of the lists, each the median of ${calls} calls; the test of long lists counts rows`,
      data: growth,
    }),
  ]
}

/** A tenant with 1,000 rows in each list, of which none is bound. */
async function filledTenant(lab: Lab) {
  const tenant = await testTenant(lab.runtime)
  const caller = await tenant.as('vera', { roles: [...roleNames] })
  const fill = async (from: number, to: number) => {
    await fillLists(lab.owner, { tenantId: tenant.id, memberId: caller.principal.memberId, from, to })
    // As autovacuum does within a minute.
    await lab.owner.query('analyze')
  }
  await fill(0, rowsOfEach)
  return { tenant, caller, fill }
}

const read = ({ operation, inputs: [input] }: ListOperation, caller: Caller) =>
  perform(operation, caller, { ...input, limit })

/** The statement that reads the page: of those with a LIMIT, the one that returns most rows. */
async function pageStatement(operation: ListOperation, caller: Caller, { owner }: Lab): Promise<Statement | undefined> {
  const statements = await statementsOf(() => read(operation, caller))
  const pages = statements.filter(({ text }) => /^\s*select/i.test(text) && /\blimit\b/i.test(text))
  const counted = await Promise.all(
    pages.map(async (page) => ({ page, rows: (await owner.query(page)).rowCount ?? 0 })),
  )
  return counted.sort((one, other) => other.rows - one.rows)[0]?.page
}

async function timesOf(operations: readonly ListOperation[], caller: Caller): Promise<{ name: string; ms: number }[]> {
  const found: { name: string; ms: number }[] = []
  for (const operation of operations) {
    const times: number[] = []
    for (let call = 0; call < calls; call++) {
      const began = performance.now()
      await read(operation, caller)
      times.push(performance.now() - began)
    }
    found.push({ name: operation.name, ms: median(times) })
  }
  return found
}
