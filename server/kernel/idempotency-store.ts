import type { JsonValue } from '#lib/json.ts'
import { present } from './content/committed.ts'
import { keyedDigest } from './content/keyed-digest.ts'
import { contentContext } from './content/tables.ts'
import { withCommit } from './db/closing.ts'
import type { Transaction } from './db/database.ts'
import { type TenantCipher, tenantCipher } from './keys/tenant-keys.ts'

type Address = { tenantId: string; memberId: string; operation: string; key: string }

const table = 'idempotency_keys'
const keyed = (cipher: TenantCipher, column: 'key' | 'fingerprint', text: string) =>
  keyedDigest(cipher, table, column, text)
const contextOf = ({ memberId, operation }: Address, key: string) =>
  contentContext(table, [memberId, operation, key], 'response')

/** `same`: the response belongs to a request with this fingerprint. `gone`: the tenant's retention has removed it. */
export async function findAnswer(
  tx: Transaction,
  address: Address,
  fingerprint: string,
): Promise<{ same: boolean; gone: boolean; response: JsonValue } | undefined> {
  const { tenantId, memberId, operation } = address
  const cipher = await tenantCipher(tx, tenantId)
  const key = keyed(cipher, 'key', address.key)
  const row = await tx
    .selectFrom('idempotencyKeys')
    .select(['fingerprint', 'response'])
    .where('tenantId', '=', tenantId)
    .where('memberId', '=', memberId)
    .where('operation', '=', operation)
    .where('key', '=', key)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const stored = present(row.response)
  return {
    same: row.fingerprint === keyed(cipher, 'fingerprint', fingerprint),
    gone: stored === null,
    response: stored === null ? null : cipher.decryptJson(stored, contextOf(address, key)),
  }
}

export async function insertAnswer(
  tx: Transaction,
  { response, fingerprint, ...address }: Address & { fingerprint: string; response: JsonValue },
): Promise<void> {
  const cipher = await tenantCipher(tx, address.tenantId)
  const key = keyed(cipher, 'key', address.key)
  const statement = tx
    .insertInto('idempotencyKeys')
    .values({
      ...address,
      key,
      fingerprint: keyed(cipher, 'fingerprint', fingerprint),
      response: cipher.encryptJson(response, contextOf(address, key)),
    })
    .compile()
  withCommit(tx, statement)
}
