import type { JsonValue } from '#lib/json.ts'
import type { Transaction } from './db/database.ts'
import { json } from './db/json.ts'

type Address = { tenantId: string; memberId: string; operation: string; key: string }

export async function findAnswer(
  tx: Transaction,
  { tenantId, memberId, operation, key }: Address,
): Promise<{ fingerprint: string; response: JsonValue } | undefined> {
  const row = await tx
    .selectFrom('idempotencyKeys')
    .select(['fingerprint', 'response'])
    .where('tenantId', '=', tenantId)
    .where('memberId', '=', memberId)
    .where('operation', '=', operation)
    .where('key', '=', key)
    .executeTakeFirst()
  return row as { fingerprint: string; response: JsonValue } | undefined
}

export async function insertAnswer(
  tx: Transaction,
  { response, ...row }: Address & { fingerprint: string; response: JsonValue },
): Promise<void> {
  await tx
    .insertInto('idempotencyKeys')
    .values({ ...row, response: json(response) })
    .execute()
}
