import { sql } from 'kysely'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { ContentTable } from './tables.ts'

export type PlaintextRow = {
  id: string
  kind: string
  rowKey: Record<string, string | number | null>
  /** JSON texts by column. */
  rowValues: Record<string, string>
}

/** Some of the rows that a migration left to be encrypted, locked until commit. */
export const lockPlaintext = (tx: Transaction, tenantId: string, limit: number) =>
  tx
    .selectFrom('unsealed')
    .select(['id', 'kind', 'rowKey', 'rowValues'])
    .where('tenantId', '=', tenantId)
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .$castTo<PlaintextRow>()
    .execute()

export const hasPlaintext = async (tx: Transaction, tenantId: string): Promise<boolean> =>
  (await tx.selectFrom('unsealed').select('id').where('tenantId', '=', tenantId).limit(1).executeTakeFirst()) !==
  undefined

export async function deletePlaintext(tx: Transaction, tenantId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx
    .deleteFrom('unsealed')
    .where('tenantId', '=', tenantId)
    .where('id', 'in', [...ids])
    .execute()
}

/** Writes encrypted values to a row. `key` consists of the table's key columns. */
export async function setContent(
  tx: Transaction,
  tenantId: string,
  { table, key }: Pick<ContentTable, 'table' | 'key'>,
  row: Record<string, string | number | null>,
  values: Record<string, Buffer | string | null>,
): Promise<void> {
  const set = sql.join(Object.entries(values).map(([column, value]) => sql`${sql.ref(column)} = ${value}`))
  const where = sql.join(
    key.map((column) => sql`${sql.ref(column)} = ${row[column] ?? null}`),
    sql` and `,
  )
  await sql`update ${sql.table(table)} set ${set} where tenant_id = ${tenantId} and ${where}`.execute(tx)
}
