import { notFound } from '#lib/errors.ts'
import { grantsOf } from '#lib/rules/api-key-scopes.ts'
import { Id } from '#lib/schemas/common.ts'
import { type ApiKey, type Secret, SecretKind, type SecretStatus } from '#lib/schemas/secrets.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { findSecret, lockSecret, type SecretRow } from './store.ts'

/** Where its value is encrypted; part of what is authenticated, so that no value can be put in another one's place. */
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

/** The record of the tenant with this id, or with an API key of this id. Anything else throws `not_found`, in the same words. */
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

/** What anybody with secret:read may see of these records. */
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
    revision: row.revision,
  }))
}

/** One record, read again: as it is after a change in this transaction. */
export async function secretView(tx: Transaction, tenantId: string, id: string): Promise<Secret> {
  const [view] = await secretViews(tx, tenantId, [await requireSecret(tx, tenantId, id, 'read')])
  if (view === undefined) throw new Error('unreachable: one row in, one out')
  return view
}
