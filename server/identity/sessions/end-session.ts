import { endGrant } from '#server/identity/artifacts/adapter.ts'
import { endArtifacts } from '#server/identity/artifacts/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { SessionRow } from './store.ts'

/** Ends a session with its codes, refresh tokens, access tokens and open streams, on every node. */
export async function endSession(tx: Transaction, tenantId: string, { uid, grants }: SessionRow): Promise<void> {
  for (const grant of Object.values(grants)) await endGrant(tx, tenantId, grant)
  await endArtifacts(tx, tenantId, { model: 'Session', uid })
}
