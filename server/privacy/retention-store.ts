import { type RawBuilder, sql } from 'kysely'
import type { Gone } from '#server/kernel/content/erased-store.ts'
import { contentTables } from '#server/kernel/content/tables.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { type Erasable, erasables } from './erasable-store.ts'

const erasable = (table: string): Erasable => {
  const found = erasables.find((one) => one.table === table)
  if (found === undefined) throw new Error(`The table ${table} does not contain content.`)
  return found
}
const columnsOf = (table: string) => contentTables.find((one) => one.table === table)?.columns ?? []

const heldExecution = erasable('executions').held

/** Returns some executions that ended before `before`, with content and without a hold, oldest first. */
export async function findExpiredExecutions(
  tx: Transaction,
  tenantId: string,
  before: Date,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select c.id from executions c where c.tenant_id = ${tenantId} and c.ended_at < ${before} and c.ended_at is not null
      and not content_gone(c.input) and not ${heldExecution} order by c.ended_at limit ${limit}`.execute(tx)
  return rows.map((row) => row.id)
}

const ofExecutions: Record<string, RawBuilder<unknown>> = {
  executions: sql`c.id`,
  execution_steps: sql`c.execution_id`,
  execution_events: sql`c.execution_id`,
  approvals: sql`c.execution_id`,
  policy_decisions: sql`c.execution_id`,
  input_events: sql`c.execution_id`,
  input_resolutions: sql`(select w.execution_id from input_waits w where w.tenant_id = c.tenant_id and w.id = c.wait_id)`,
}

export const withExecution: readonly string[] = Object.keys(ofExecutions)

/** Deletes all content of these executions. Returns the deleted rows. */
export async function expireExecutions(tx: Transaction, tenantId: string, ids: readonly string[]): Promise<Gone[]> {
  const gone: Gone[] = []
  for (const [table, execution] of Object.entries(ofExecutions))
    gone.push(...(await setExpired(tx, tenantId, table, sql`${execution} = any(${[...ids]}::uuid[])`)))
  return gone
}

/** When retention begins for content that doesn't belong to an existing execution. */
const since: Record<string, RawBuilder<unknown>> = {
  approvals: sql`c.execution_id is null and c.decided_at`,
  policy_decisions: sql`c.execution_id is null and c.created_at`,
  input_events: sql`c.settled_at`,
  mails: sql`c.created_at`,
  idempotency_keys: sql`c.created_at`,
}
export const withoutExecution: readonly string[] = Object.keys(since)

/** Deletes content of some rows of a table that are older than `before`, have ended and are not on hold. */
export async function expireRows(
  tx: Transaction,
  tenantId: string,
  table: string,
  before: Date,
  limit: number,
): Promise<{ rows: number; gone: Gone[] }> {
  const { live, held } = erasable(table)
  const gone = await setExpired(
    tx,
    tenantId,
    table,
    sql`${since[table] ?? sql`false`} < ${before} and not ${live} and not ${held}`,
    limit,
  )
  return { rows: gone.length, gone }
}

async function setExpired(
  tx: Transaction,
  tenantId: string,
  table: string,
  where: RawBuilder<unknown>,
  limit?: number,
): Promise<Gone[]> {
  const { shownBy } = erasable(table)
  const columns = columnsOf(table)
  const there = sql.join(
    columns.map((name) => sql`not content_gone(${sql.ref(`c.${name}`)})`),
    sql` or `,
  )
  const nothing = sql.join(columns.map((name) => sql`${sql.ref(name)} = content_stub(${sql.ref(`c.${name}`)})`))
  const some =
    limit === undefined
      ? sql`${where} and (${there})`
      : sql`c.ctid = any(array(select c.ctid from ${sql.table(table)} c
          where c.tenant_id = ${tenantId} and (${there}) and ${where} limit ${limit})) and (${there})`
  const { rows } = await sql<{ id: string | null }>`
    update ${sql.table(table)} c set ${nothing} where c.tenant_id = ${tenantId} and ${some}
    returning ${shownBy?.id ?? sql`null`} as id`.execute(tx)
  return rows.map(({ id }) => ({ resource: shownBy?.resource ?? 'execution', resourceId: id ?? '', texts: 0 }))
}
