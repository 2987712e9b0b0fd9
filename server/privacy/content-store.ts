import { sql } from 'kysely'
import { present } from '#server/kernel/content/committed.ts'
import { contentContext, contentTables } from '#server/kernel/content/tables.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { Erasable } from './erasable-store.ts'

/** One value of a row: its column, the stored bytes, and their encryption context. */
export type EncryptedValue = { column: string; encrypted: Buffer; context: string }
export type ContentRow = {
  /** Texts, in the order of the table's key. */
  key: string[]
  owner: string
  live: boolean
  held: boolean
  shownBy: string | null
  values: EncryptedValue[]
}

const described = (table: string) => {
  const found = contentTables.find((one) => one.table === table)
  if (found === undefined) throw new Error(`The table ${table} does not contain content.`)
  return found
}

/**
 * Returns rows of a table that contain content, in the order of its key, starting after `after`, and only of `owners`
 * if given.
 */
export async function listContent(
  tx: Transaction,
  tenantId: string,
  { table, owner, live, held, shownBy }: Erasable,
  {
    after,
    owners,
    limit,
  }: { after: readonly string[] | undefined; owners: readonly string[] | undefined; limit: number },
): Promise<ContentRow[]> {
  const { key, keyTypes, place, columns } = described(table)
  const own = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(`c.${name}`)))
  const texts = (names: readonly string[]) =>
    sql`array[${sql.join(names.map((name) => sql`${sql.ref(`c.${name}`)}::text`))}]`
  const from = after?.map((text, index) => sql`${text}::${sql.raw(keyTypes[index] ?? 'text')}`)
  const { rows } = await sql<{
    key: string[]
    place: (string | null)[]
    bytes: (Buffer | null)[]
    owner: string
    live: boolean
    held: boolean
    shownBy: string | null
  }>`
    select ${texts(key)} as key, ${texts(place)} as place, array[${own(columns)}] as bytes, ${owner} as owner, ${live} as live,
      ${held} as held, ${shownBy?.id ?? sql`null`} as "shownBy"
    from ${sql.table(table)} c
    where c.tenant_id = ${tenantId}
      and (${sql.join(
        columns.map((name) => sql`not content_gone(${sql.ref(`c.${name}`)})`),
        sql` or `,
      )})
      ${from === undefined ? sql`` : sql`and (${own(key)}) > (${sql.join(from)})`}
      ${owners === undefined ? sql`` : sql`and ${owner} = any(${[...owners]}::text[])`}
    order by ${own(key)} limit ${limit}`.execute(tx)
  return rows.map(({ place: where, bytes, ...row }) => ({
    ...row,
    values: bytes.flatMap((stored, index) => {
      const column = columns[index] ?? ''
      const encrypted = present(stored)
      return encrypted === null ? [] : [{ column, encrypted, context: contentContext(table, where, column) }]
    }),
  }))
}

/**
 * Replaces the bytes that were read. Returns false without a change if any of them has changed in the meantime: each encryption
 * of a value has different bytes.
 */
export async function replaceContent(
  tx: Transaction,
  tenantId: string,
  { table }: Pick<Erasable, 'table'>,
  key: readonly string[],
  changes: readonly { column: string; before: Buffer; after: Buffer | null }[],
): Promise<boolean> {
  const { key: names, keyTypes } = described(table)
  const set = changes.map(({ column, after }) => sql`${sql.ref(column)} = ${after}::bytea`)
  const same = changes.map(({ column, before }) => sql`${sql.ref(column)} = ${before}::bytea`)
  const where = names.map((name, index) => sql`${sql.ref(name)} = ${key[index]}::${sql.raw(keyTypes[index] ?? 'text')}`)
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set ${sql.join(set)}
    where tenant_id = ${tenantId} and ${sql.join([...where, ...same], sql` and `)}`.execute(tx)
  return numAffectedRows === 1n
}

/** Returns those that are no longer in progress or open. */
export async function findEnded(tx: Transaction, tenantId: string, owners: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select o.id::text as id from unnest(${[...owners]}::uuid[]) as o(id)
    where not exists (select 1 from executions e where e.tenant_id = ${tenantId} and e.id = o.id and e.ended_at is null)
      and not exists (select 1 from mails m where m.tenant_id = ${tenantId} and m.id = o.id
        and m.delivery in ('pending', 'in_flight'))
      and not exists (select 1 from approvals a where a.tenant_id = ${tenantId} and (a.id = o.id or a.subject_id = o.id)
        and (a.status = 'pending' or (a.kind = 'external_call' and a.status = 'approved' and a.used_at is null
          and a.expires_at > clock_timestamp())))`.execute(tx)
  return rows.map((row) => row.id)
}

type Found = { of: string; type: 'execution' | 'approval'; id: string }

/** The execution or request that each of them is, or for a decision its request. Mails are neither. */
export async function findObjects(tx: Transaction, tenantId: string, owners: readonly string[]): Promise<Found[]> {
  if (owners.length === 0) return []
  const { rows } = await sql<{ of: string; executionId: string | null; approvalId: string | null }>`
    select o.id::text as of, e.id::text as "executionId", (
      select a.id::text from approvals a where a.tenant_id = ${tenantId} and (a.id = o.id or a.subject_id = o.id)
        order by a.id desc limit 1) as "approvalId"
    from unnest(${[...owners]}::uuid[]) as o(id)
    left join executions e on e.tenant_id = ${tenantId} and e.id = o.id`.execute(tx)
  return rows.flatMap(({ of, executionId, approvalId }): Found[] =>
    executionId !== null
      ? [{ of, type: 'execution', id: executionId }]
      : approvalId !== null
        ? [{ of, type: 'approval', id: approvalId }]
        : [],
  )
}

/** Returns the traces of those that are executions. */
export async function findTracesOf(tx: Transaction, tenantId: string, owners: readonly string[]): Promise<string[]> {
  const rows = await tx
    .selectFrom('executions')
    .select('traceId')
    .where('tenantId', '=', tenantId)
    .where('id', 'in', [...owners])
    .execute()
  return rows.map((row) => row.traceId)
}
