import type { Actor } from '#lib/schemas/common.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { findMembers } from './store.ts'

/** Members by id in their public form, for lists that name people. */
export async function actorsById(
  tx: Transaction,
  tenantId: string,
  ids: Iterable<string>,
): Promise<(id: string) => Actor> {
  const named = [...new Set(ids)]
  const rows = named.length === 0 ? [] : await findMembers(tx, tenantId, named)
  const actors = new Map(rows.map((row) => [row.id, actorOf(row)]))
  return (id) => actors.get(id) ?? { id, displayName: 'Unknown', username: 'unknown', kind: 'person' }
}

export const actorOf = (row: { id: string; displayName: string; username: string; kind: string }): Actor => ({
  id: row.id,
  displayName: row.displayName,
  username: row.username,
  kind: row.kind === 'person' || row.kind === 'api_key' ? row.kind : 'service_account',
})
