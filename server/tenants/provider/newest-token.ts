import { IntegrityFailed } from '#server/kernel/bound/integrity-failed.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { type TenantCipher, tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { listTokens, type StoredToken, writeToken } from './token-store.ts'

// The newest token of a member is keyed and not bound to the log: it changes with each renewal, and a record of each would cost a write
// more and bury what matters (docs/decisions/0099-keyed-tokens.md).

const purpose = 'member_token'

type Content = Pick<StoredToken, 'memberId' | 'issuedAt' | 'groups'>

const keyed = ({ memberId, issuedAt, groups }: Content): string =>
  JSON.stringify([memberId, issuedAt.toISOString(), groups])

/** Stores the newest token of a member, so that no one else can change it unnoticed. */
export async function setNewestToken(tx: Transaction, row: Content & { tenantId: string }): Promise<void> {
  const mac = (await tenantCipher(tx, row.tenantId)).mac(purpose, keyed(row))
  await writeToken(tx, { ...row, mac })
}

/**
 * Throws IntegrityFailed if anyone but this server has written the newest token of one of these members. A row without a mac passes: it
 * counts for nothing (readMappedSeats), and the member's next request writes it again.
 */
export async function requireTokensKeyed(
  tx: Transaction,
  tenantId: string,
  memberIds: readonly string[],
): Promise<void> {
  if (memberIds.length === 0) return
  const rows = await listTokens(tx, tenantId, memberIds)
  if (rows.length === 0) return
  const cipher = await tenantCipher(tx, tenantId)
  const changed = rows.find((row) => row.mac !== null && !isKeyed(cipher, row))
  if (changed !== undefined)
    throw new IntegrityFailed({
      tenantId,
      type: 'member_token',
      id: changed.memberId,
      reason: 'It was changed outside the server.',
    })
}

const isKeyed = (cipher: TenantCipher, row: StoredToken): boolean => cipher.checkMac(purpose, keyed(row), row.mac)
