import { runtime } from '#server/kernel/runtime.ts'
import { setLastUse } from './last-use-store.ts'

/** Milliseconds. */
const pause = 60_000
const maxMachines = 10_000

// Owned by this module, in each process and each bundle: when this process last wrote each machine's use.
const noted = new Map<string, number>()

/**
 * Records the use of a service account or an API key, at most once a minute for each. The write runs in a separate
 * transaction that no request waits for, and its failure does not fail the request.
 */
export function noteUse(tenantId: string, memberId: string): void {
  const machine = `${tenantId}/${memberId}`
  const now = Date.now()
  if (now - (noted.get(machine) ?? 0) < pause) return
  noted.delete(machine)
  noted.set(machine, now)
  for (const oldest of noted.keys()) {
    if (noted.size <= maxMachines) break
    noted.delete(oldest)
  }
  const { database, log } = runtime()
  database
    .inTenant(tenantId, (tx) => setLastUse(tx, tenantId, memberId))
    .catch((error: unknown) => {
      noted.delete(machine)
      log.warn({ err: error, tenantId, memberId }, 'the last use of a machine could not be recorded')
    })
}
