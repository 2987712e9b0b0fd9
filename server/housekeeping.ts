import { purgeExpired } from '#server/identity/artifacts/adapter.ts'
import { expireUnmatched } from '#server/inputs/expire-events.ts'
import { purgeProofs } from '#server/kernel/auth/authorization.ts'
import { purgeBudgets } from '#server/kernel/rate/limits.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { listTenants } from '#server/tenants/directory.ts'

const intervalMs = 10 * 60_000

/** Removes what has expired and nobody will ask for again, tenant by tenant. Runs in every process; twice does no harm. */
export function startHousekeeping(): { close(): Promise<void> } {
  const { database, log } = runtime()
  let closed = false
  let round: Promise<void> = Promise.resolve()
  const clean = async () => {
    for (const { id } of await database.inDirectory(listTenants))
      for (const purge of [purgeExpired, purgeProofs, purgeBudgets, expireUnmatched]) if (!closed) await purge(id)
  }
  const timer = setInterval(() => {
    round = clean().catch((error: unknown) => log.warn({ err: error }, 'housekeeping failed; it comes again'))
  }, intervalMs)
  return {
    async close() {
      closed = true
      clearInterval(timer)
      await round
    },
  }
}
