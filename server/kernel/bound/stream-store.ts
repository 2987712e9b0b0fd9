import { type RawBuilder, sql } from 'kysely'
import { cursorRows } from '#server/kernel/db/cursor.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { currentText, idText } from './state-text-store.ts'
import { type Compared, partsOf } from './store.ts'
import type { BoundType } from './types.ts'

// Reads many rows with their bound states through a cursor. Conditions name the row `r`.

/** Where the record is that committed to the state of a row. */
export type RecordPlace = { date: string; seq: number }

export type StreamedRow = {
  id: string
  /** JSON of the columns of its form. */
  row: string
  bound: Compared['bound']
  /** The encrypted values of the type's columns of content, in their order. */
  content: (Buffer | null)[]
  /** The value of `extra`. */
  extra: string | null
  /** Null if the row is not bound, or the log lacks the record. */
  record: RecordPlace | null
}

type Read = Pick<StreamedRow, 'id' | 'row' | 'extra'> & { [column: `c${number}`]: Buffer | null }

/** Rows whose states are read in one statement. */
const together = 200

/** Rows of a type in the order of their keys. `extra`: one more value of each, as text. */
export async function* streamRows(
  tx: Transaction,
  tenantId: string,
  bound: BoundType,
  { where, extra = sql<null>`null` }: { where: RawBuilder<boolean>; extra?: RawBuilder<string | null> },
): AsyncGenerator<StreamedRow> {
  const { table, key, content = [] } = bound
  // Columns of their own, because an array of large values needs many times their memory.
  const values = sql.raw(content.map((column, index) => `r.${column} as c${index}, `).join(''))
  const order = sql.raw(key.map(([column]) => `r.${column}`).join(', '))
  const rows = cursorRows(
    tx,
    sql<Read>`select ${sql.raw(idText(bound))} as id, ${sql.raw(currentText(bound))} as row, ${values} ${extra} as extra
      from ${sql.raw(table)} r where r.tenant_id = ${tenantId} and ${where} order by ${order}`,
  )
  let lot: Read[] = []
  const finish = async function* () {
    const states = await findStates(tx, tenantId, bound, lot)
    for (const read of lot)
      yield {
        id: read.id,
        row: read.row,
        extra: read.extra,
        content: content.map((_, index) => read[`c${index}`] ?? null),
        ...(states.get(read.id) ?? { bound: null, record: null }),
      }
    lot = []
  }
  for await (const read of rows) {
    lot.push(read)
    if (lot.length >= together || hasLarge(read)) yield* finish()
  }
  yield* finish()
}

/** A large value does not wait in memory for the rows after it. */
const largeBytes = 64 * 1024
const hasLarge = (read: Read): boolean =>
  Object.values(read).some((value) => Buffer.isBuffer(value) && value.length > largeBytes)

/**
 * The states of rows, and where the log has their records. By ids and not by a join, because without statistics, and with
 * row-level security, the planner would compare all pairs.
 */
async function findStates(
  tx: Transaction,
  tenantId: string,
  { type }: BoundType,
  lot: readonly Read[],
): Promise<Map<string, Pick<StreamedRow, 'bound' | 'record'>>> {
  if (lot.length === 0) return new Map()
  const ids = lot.map(({ id }) => id)
  const states = await tx
    .selectFrom('boundStates')
    .select(['id', 'form', 'revision', 'digest', 'auditId', 'mac'])
    .where('tenantId', '=', tenantId)
    .where('type', '=', type)
    .where('id', '=', sql<string>`any(${ids}::text[])`)
    .execute()
  const auditIds = states.map(({ auditId }) => auditId)
  const records = await tx
    .selectFrom('auditRecords')
    .select(['auditId', 'date', 'seq'])
    .where('tenantId', '=', tenantId)
    .where('auditId', '=', sql<string>`any(${auditIds}::uuid[])`)
    .execute()
  const places = new Map(records.map(({ auditId, ...place }) => [auditId, place]))
  return new Map(states.map(({ id, ...bound }) => [id, { bound, record: places.get(bound.auditId) ?? null }]))
}

/** Those of the ids without a row that meets the condition. */
export async function idsWithout(
  tx: Transaction,
  tenantId: string,
  bound: BoundType,
  ids: readonly string[],
  where: RawBuilder<boolean>,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select given.id from ${given(bound, ids)}
    where not exists (select 1 from ${sql.raw(bound.table)} r
      where r.tenant_id = ${tenantId} and ${isGiven(bound)} and ${where})`.execute(tx)
  return rows.map(({ id }) => id)
}

/** The condition that a row is one of the objects. */
export const isOneOf = (bound: BoundType, ids: readonly string[]): RawBuilder<boolean> =>
  sql<boolean>`exists (select 1 from ${given(bound, ids)} where ${isGiven(bound)})`

function given(bound: BoundType, ids: readonly string[]): RawBuilder<unknown> {
  const parts = ids.map((id) => partsOf(bound, id))
  // With their types: row-level security keeps a comparison with a cast from using the index.
  const columns = bound.key.map(([, kind], index) => sql`${parts.map((part) => part[index])}::${sql.raw(kind)}[]`)
  const names = bound.key.map((_, index) => `k${index}`).join(', ')
  return sql`unnest(${[...ids]}::text[], ${sql.join(columns)}) as given (id, ${sql.raw(names)})`
}

const isGiven = ({ key }: BoundType): RawBuilder<boolean> =>
  sql.raw(key.map(([column], index) => `r.${column} = given.k${index}`).join(' and '))

/** The objects to which records of these parts of the log commit, each once. `to` is not included. */
export const streamCommitted = (
  tx: Transaction,
  tenantId: string,
  parts: readonly { date: string; from: number; to: number }[],
): AsyncGenerator<{ type: string; id: string }> =>
  cursorRows(
    tx,
    sql<{ type: string; id: string }>`select distinct state->>'type' as type, state->>'id' as id
      from unnest(${parts.map(({ date }) => date)}::date[], ${parts.map(({ from }) => from)}::integer[],
        ${parts.map(({ to }) => to)}::integer[]) as part (date, first, after)
      join audit_records record on record.date = part.date and record.seq >= part.first and record.seq < part.after
      cross join jsonb_array_elements(case when jsonb_typeof(record.record->'states') = 'array' then record.record->'states'
        else '[]'::jsonb end) as state
      where record.tenant_id = ${tenantId}`,
  )

/** An object of the type that was bound and whose row was deleted outside the server; undefined if none was. */
export async function findDeleted(tx: Transaction, tenantId: string, bound: BoundType): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`select b.id from bound_states b
    where b.tenant_id = ${tenantId} and b.type = ${bound.type} and b.digest is not null
      and not exists (select 1 from ${sql.raw(bound.table)} r
        where r.tenant_id = ${tenantId} and ${sql.raw(idText(bound))} = b.id)
    order by b.id limit 1`.execute(tx)
  return rows[0]?.id
}

/** Positions of the log's open days: each with its number of records. */
export const listOpenDays = async (tx: Transaction, tenantId: string): Promise<{ date: string; size: number }[]> =>
  await tx
    .selectFrom('auditDays')
    .select(['date', 'size'])
    .where('tenantId', '=', tenantId)
    .where('sealedAt', 'is', null)
    .orderBy('date')
    .execute()
