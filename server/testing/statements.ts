import { CompiledQuery } from 'kysely'
import pg from 'pg'
import type { Transaction } from '#server/kernel/db/database.ts'

export type Statement = { text: string; values: unknown[] }

/** Runs `work` and returns the statements with parameters that this process sent during it. Not for concurrent use. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  const seen: Statement[] = []
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function record(this: pg.Client, ...args: unknown[]) {
    const [sent] = args
    if (typeof sent === 'object' && sent !== null && 'text' in sent && 'values' in sent && Array.isArray(sent.values))
      seen.push({ text: String(sent.text), values: [...sent.values] })
    return Reflect.apply(query, this, args)
  } as typeof query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = query
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

/** Runs the statement in `tx` with EXPLAIN (ANALYZE, BUFFERS) and returns its scans. */
export async function scansOf(tx: Transaction, { text, values }: Statement): Promise<Scan[]> {
  const explained = CompiledQuery.raw(`explain (analyze, buffers, timing off, format json) ${text}`, values)
  const { rows } = await tx.executeQuery<Record<string, [{ Plan: Plan }]>>(explained)
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
