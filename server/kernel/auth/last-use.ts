import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { setLastTokenUse } from './connection-tokens/token-store.ts'
import { setLastUse } from './last-use-store.ts'

/** Milliseconds. */
const pause = 60_000
const maxMachines = 10_000

// Owned by this module, in each process and each bundle: when this process last wrote each use.
const noted = new Map<string, number>()

/** Records the use of a service account or an API key, at most once a minute for each. */
export const noteUse = (tenantId: string, memberId: string): void =>
  note({ tenantId, memberId }, `${tenantId}/${memberId}`, (tx) => setLastUse(tx, tenantId, memberId))

/** Records the use of a connection token, at most once a minute for each. */
export const noteTokenUse = (tenantId: string, tokenId: string): void =>
  note({ tenantId, tokenId }, `${tenantId}/tokens/${tokenId}`, (tx) => setLastTokenUse(tx, tenantId, tokenId))

/** The write runs in a separate transaction that no request waits for, and its failure does not fail the request. */
function note(
  about: { tenantId: string } & Record<string, string>,
  name: string,
  write: (tx: Transaction) => Promise<void>,
): void {
  const now = Date.now()
  if (now - (noted.get(name) ?? 0) < pause) return
  noted.delete(name)
  noted.set(name, now)
  for (const oldest of noted.keys()) {
    if (noted.size <= maxMachines) break
    noted.delete(oldest)
  }
  const { database, log } = runtime()
  database.inTenant(about.tenantId, write).catch((error: unknown) => {
    noted.delete(name)
    log.warn({ err: error, ...about }, 'the last use of a machine could not be recorded')
  })
}
