import type { Passkey } from '#lib/schemas/passkeys.ts'

type Row = { id: string; name: string; synced: boolean; createdAt: Date; lastUsedAt: Date | null }

export const passkeyView = ({ id, name, synced, createdAt, lastUsedAt }: Row): Passkey => ({
  id,
  name,
  synced,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
})
