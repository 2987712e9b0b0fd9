import { notFound } from '#lib/errors.ts'
import { grantsOf } from '#lib/rules/api-key-scopes.ts'
import { Id } from '#lib/schemas/common.ts'
import { type ApiKey, type Secret, SecretKind, type SecretStatus } from '#lib/schemas/secrets.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { findSecret, lockSecret, type SecretRow } from './store.ts'

/**
 * The encryption context of the value. It is authenticated, so that one secret's encrypted value can't replace
 * another's.
 */
export const valueContext = (secretId: string): string => `secrets/${secretId}`

export const apiKeyView = (id: string, name: string, permissions: string[]): ApiKey => ({
  id,
  name,
  permissions,
  grants: grantsOf(permissions),
})

export function statusOf(row: SecretRow): SecretStatus {
  if (row.archivedAt !== null) return 'archived'
  if (row.revokedAt !== null) return 'revoked'
  return row.expired ? 'expired' : 'active'
}

/**
 * The tenant's record with this id, or with an API key of this id. Otherwise throws `not_found`, always with the same
 * message.
 */
export async function requireSecret(
  tx: Transaction,
  tenantId: string,
  id: string,
  mode: 'read' | 'lock',
): Promise<SecretRow> {
  const known = Id.safeParse(id).success
  const row = known ? await (mode === 'lock' ? lockSecret : findSecret)(tx, tenantId, id) : undefined
  if (row === undefined) throw notFound()
  return row
}

/** The fields of these records that callers with secret:read may see. */
export async function secretViews(tx: Transaction, tenantId: string, rows: readonly SecretRow[]): Promise<Secret[]> {
  const actor = await actorsById(
    tx,
    tenantId,
    rows.map((row) => row.createdBy),
  )
  const time = (at: Date | null) => at?.toISOString() ?? null
  return rows.map((row) => ({
    secretId: row.id,
    kind: SecretKind.parse(row.kind),
    name: row.name,
    status: statusOf(row),
    apiKey: row.keyId === null ? null : apiKeyView(row.keyId, row.name, row.permissions ?? []),
    createdBy: actor(row.createdBy),
    createdAt: row.createdAt.toISOString(),
    expiresAt: time(row.expiresAt),
    revokedAt: time(row.revokedAt),
    archivedAt: time(row.archivedAt),
    lastUsedAt: time(row.usedAt),
    destinations: row.destinations,
    revision: row.revision,
  }))
}

/** One record, read again after a change in this transaction. */
export async function secretView(tx: Transaction, tenantId: string, id: string): Promise<Secret> {
  const [view] = await secretViews(tx, tenantId, [await requireSecret(tx, tenantId, id, 'read')])
  if (view === undefined) throw new Error('unreachable: one row in, one out')
  return view
}
