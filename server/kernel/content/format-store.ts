import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import { encryptedFormat } from './committed.ts'
import type { ContentTable } from './tables.ts'

export type Formats = {
  /** Whether processes that still write without commitments are certain to have loaded the tenant's row. */
  settled: boolean
  completed: boolean
}

/** Undefined until every process can read commitments. `afterSeconds`: for how long a process keeps what it has loaded. */
export async function findFormats(
  tx: Transaction,
  tenantId: string,
  afterSeconds: number,
): Promise<Formats | undefined> {
  return await tx
    .selectFrom('contentFormats')
    .select(sql<boolean>`since < clock_timestamp() - make_interval(secs => ${afterSeconds})`.as('settled'))
    .select(sql<boolean>`completed_at is not null`.as('completed'))
    .where('tenantId', '=', tenantId)
    .executeTakeFirst()
}

export async function insertFormats(tx: Transaction, tenantId: string): Promise<void> {
  await tx
    .insertInto('contentFormats')
    .values({ tenantId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function setCompleted(tx: Transaction, tenantId: string): Promise<void> {
  await tx
    .updateTable('contentFormats')
    .set({ completedAt: sql<Date>`clock_timestamp()` })
    .where('tenantId', '=', tenantId)
    .where('completedAt', 'is', null)
    .execute()
}

export type OldRow = {
  /** Texts, in the order of the table's key. */
  key: string[]
  place: (string | null)[]
  /** In the order of the table's columns; null for a value that has another format. */
  bytes: (Buffer | null)[]
}

/** Rows with values in the format without commitments, in the order of the key, after `after`; locked until commit. */
export async function lockOldRows(
  tx: Transaction,
  tenantId: string,
  table: ContentTable,
  after: readonly string[] | undefined,
  limit: number,
): Promise<OldRow[]> {
  const names = (columns: readonly string[]) => sql.join(columns.map((name) => sql.ref(`c.${name}`)))
  const texts = (columns: readonly string[]) =>
    sql`array[${sql.join(columns.map((name) => sql`${sql.ref(`c.${name}`)}::text`))}]`
  const old = (name: string) =>
    sql`substring(${sql.ref(`c.${name}`)} from 1 for 1) = ${Buffer.of(encryptedFormat)}::bytea`
  const bytes = table.columns.map((name) => sql`case when ${old(name)} then ${sql.ref(`c.${name}`)} end`)
  const { rows } = await sql<OldRow>`
    select ${texts(table.key)} as key, ${texts(table.place)} as place, array[${sql.join(bytes)}] as bytes
    from ${sql.table(table.table)} c
    where c.tenant_id = ${tenantId} and (${sql.join(table.columns.map(old), sql` or `)})
      ${after === undefined ? sql`` : sql`and (${names(table.key)}) > (${sql.join(typed(table, after))})`}
    order by ${names(table.key)} limit ${limit} for update`.execute(tx)
  return rows
}

/** Replaces values of a locked row. */
export async function replaceOld(
  tx: Transaction,
  tenantId: string,
  table: ContentTable,
  key: readonly string[],
  values: readonly { column: string; after: Buffer }[],
): Promise<void> {
  const set = sql.join(values.map(({ column, after }) => sql`${sql.ref(column)} = ${after}::bytea`))
  const where = sql.join(
    typed(table, key).map((value, index) => sql`${sql.ref(table.key[index] ?? '')} = ${value}`),
    sql` and `,
  )
  await sql`update ${sql.table(table.table)} set ${set} where tenant_id = ${tenantId} and ${where}`.execute(tx)
}

const typed = (table: ContentTable, key: readonly string[]): RawBuilder<unknown>[] =>
  key.map((text, index) => sql`${text}::${sql.raw(table.keyTypes[index] ?? 'text')}`)
