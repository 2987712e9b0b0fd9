import { CompiledQuery } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import { isControl } from '#server/kernel/db/statements/control.ts'
import { Flight } from '#server/kernel/db/statements/flight.ts'

export type Statement = { text: string; values: unknown[] }

/** Runs `work` and returns the statements that transactions of this process sent during it, without BEGIN and COMMIT. Not for concurrent use. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  const seen: Statement[] = []
  const { add } = Flight.prototype
  Flight.prototype.add = function record(this: Flight, ...args: Parameters<typeof add>) {
    const [, text, values] = args
    if (!isControl(text)) seen.push({ text, values: [...values] })
    return Reflect.apply(add, this, args)
  }
  try {
    await work()
  } finally {
    Flight.prototype.add = add
  }
  return seen
}

/** One scan of a table or an index. `rows` counts the rows that it read in all its loops, including filtered ones. */
export type Scan = { relation: string; index: string | undefined; rows: number; buffers: number; loops: number }

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Plan[]
}

const explain = 'explain (analyze, buffers, timing off, format json)'

/** Runs the statement in `tx` with EXPLAIN (ANALYZE, BUFFERS) and returns its scans. PostgreSQL plans it for these values. */
export const scansOf = (tx: Transaction, { text, values }: Statement): Promise<Scan[]> =>
  explained(tx, CompiledQuery.raw(`${explain} ${text}`, values))

/** A failed transaction leaves its prepared statements on the connection, so no name is used twice. */
let prepared = 0

/** Calls of a prepared statement after which PostgreSQL may use one plan for all values (see "PREPARE" in its manual). */
const callsUntilOnePlan = 5

/**
 * The same for each of the statements as a connection runs it when it has run them all several times: prepared, with one plan for all
 * values if PostgreSQL chooses so.
 */
export async function scansOfPrepared(tx: Transaction, statements: readonly Statement[]): Promise<Scan[][]> {
  const names = new Map([...new Set(statements.map(({ text }) => text))].map((text) => [text, `asked_${prepared++}`]))
  const run = (text: string) => tx.executeQuery(CompiledQuery.raw(text))
  const calls: string[] = []
  for (const { text, values } of statements) {
    const literals: string[] = []
    for (const value of values) literals.push(await literal(tx, value))
    calls.push(`execute ${names.get(text)}${literals.length === 0 ? '' : `(${literals.join(', ')})`}`)
  }
  for (const [text, name] of names) await run(`prepare ${name} as ${text}`)
  for (let n = 0; n <= callsUntilOnePlan; n++) for (const call of calls) await run(call)
  const found: Scan[][] = []
  for (const call of calls) found.push(await explained(tx, CompiledQuery.raw(`${explain} ${call}`)))
  for (const name of names.values()) await run(`deallocate ${name}`)
  return found
}

/** EXECUTE takes no parameters. The driver turns the value into text, as for the statement itself, and PostgreSQL quotes it. */
async function literal(tx: Transaction, value: unknown): Promise<string> {
  const sent = Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value
  const { rows } = await tx.executeQuery<{ literal: string }>(
    CompiledQuery.raw('select quote_nullable($1::text) as literal', [sent]),
  )
  const [row] = rows
  if (row === undefined) throw new Error('unreachable: a select without a table has one row')
  return row.literal
}

async function explained(tx: Transaction, query: CompiledQuery): Promise<Scan[]> {
  const { rows } = await tx.executeQuery<Record<string, [{ Plan: Plan }]>>(query)
  const [answer] = Object.values(rows[0] ?? {})
  if (answer === undefined) throw new Error('unreachable: EXPLAIN has one row')
  return scans(answer[0].Plan)
}

function scans(plan: Plan): Scan[] {
  const below = (plan.Plans ?? []).flatMap(scans)
  const relation = plan['Relation Name']
  if (relation === undefined) return below
  const loops = plan['Actual Loops']
  const touched =
    plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
  const buffers = plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  return [{ relation, index: plan['Index Name'], rows: Math.round(touched * loops), buffers, loops }, ...below]
}
