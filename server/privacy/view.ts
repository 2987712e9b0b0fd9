import type { Actor } from '#lib/schemas/common.ts'

export const actorIn = (row: { memberId: string; displayName: string; username: string; kind: string }): Actor => ({
  id: row.memberId,
  displayName: row.displayName,
  username: row.username,
  kind: row.kind === 'person' || row.kind === 'api_key' ? row.kind : 'service_account',
})
