import { notFound } from '#lib/errors.ts'
import { type ConnectionToken, type ConnectionTokenStatus, ConnectionUse } from '#lib/schemas/connection-tokens.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { findToken, type TokenRow } from './store.ts'

/** The fields of these tokens that callers with service-account:manage may see. */
export async function tokenViews(
  tx: Transaction,
  tenantId: string,
  rows: readonly TokenRow[],
): Promise<ConnectionToken[]> {
  const actor = await actorsById(
    tx,
    tenantId,
    rows.map((row) => row.createdBy),
  )
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    use: ConnectionUse.parse(row.use),
    agents: row.agents,
    serviceAccount: { id: row.memberId, username: row.username, displayName: row.displayName },
    status: statusOf(row),
    createdBy: actor(row.createdBy),
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    revokedAt: row.revokedAt?.toISOString() ?? null,
    lastUsedAt: row.usedAt?.toISOString() ?? null,
    revision: row.revision,
  }))
}

/** One token, as it is in this transaction. Throws `not_found`. */
export async function tokenView(tx: Transaction, tenantId: string, id: string): Promise<ConnectionToken> {
  const row = await findToken(tx, tenantId, id)
  const [view] = row === undefined ? [] : await tokenViews(tx, tenantId, [row])
  if (view === undefined) throw notFound()
  return view
}

function statusOf({ revokedAt, expired, memberStatus }: TokenRow): ConnectionTokenStatus {
  if (revokedAt !== null) return 'revoked'
  if (expired) return 'expired'
  return memberStatus === 'active' ? 'active' : 'account_disabled'
}
