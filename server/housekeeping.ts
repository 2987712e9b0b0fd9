import { purgeArchives } from '#server/evidence/retention/purge-archives.ts'
import { purgeTasks } from '#server/executions/gateway/purge-tasks.ts'
import { purgeFiles } from '#server/files/purge.ts'
import { purgeExpired } from '#server/identity/artifacts/adapter.ts'
import { purgeClients } from '#server/identity/clients/registration.ts'
import { purgePlaces } from '#server/identity/strangers/places.ts'
import { expireUnmatched } from '#server/inputs/expire-events.ts'
import { purgeProofs } from '#server/kernel/auth/authorization.ts'
import { readDatabaseClock } from '#server/kernel/db/clock.ts'
import { asOwnerOf, dropPartitions, makePartitions } from '#server/kernel/db/partitions.ts'
import { retirePredecessor } from '#server/kernel/db/roles.ts'
import { eachTenant } from '#server/kernel/jobs/each-tenant.ts'
import { repeat } from '#server/kernel/jobs/repeat.ts'
import { listServedTenantIds } from '#server/kernel/keys/store.ts'
import { purgeBudgets } from '#server/kernel/rate/limits.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { purgeDeliveries } from '#server/notifications/purge-deliveries.ts'
import { purgeWindows } from '#server/policies/budgets/purge-windows.ts'
import { resumeErasures } from '#server/privacy/resume-erasures.ts'
import { purgeContent } from '#server/privacy/retention.ts'
import { purgePartials } from '#server/traces/partial/partial-text.ts'
import { isOver, purgeTraces, retentionLimit } from '#server/traces/retention/retention.ts'
import { checkClock } from './readiness.ts'

const intervalMs = 10 * 60_000

/** What is removed from one tenant. The log names these functions. */
type Purge = (tenantId: string, now: number) => Promise<unknown>

/** What is kept for days and can't be restored: `now` is the database's (decision 0015). */
const retained: readonly Purge[] = [purgeWindows, purgeTraces, purgeContent, purgeArchives]

/** What ends in SQL, by the database's clock. */
const purges: readonly Purge[] = [
  purgeExpired,
  purgeClients,
  purgeProofs,
  purgeBudgets,
  purgePlaces,
  expireUnmatched,
  purgePartials,
  purgeFiles,
  resumeErasures,
  purgeDeliveries,
  purgeTasks,
]

/** Cleans up every ten minutes, in every process: concurrent rounds do no harm. */
export function startHousekeeping(ownerUrl: string): { close(): Promise<void> } {
  let closed = false
  const rounds = repeat(
    () => cleanUp(ownerUrl, () => closed),
    intervalMs,
    (error) => runtime().log.warn({ err: error }, 'housekeeping failed; the next round tries again'),
    { later: true },
  )
  return {
    async close() {
      closed = true
      await rounds.close()
    },
  }
}

/**
 * Deletes each tenant's expired rows and files, and creates and drops the daily partitions of spans. Partitions need a connection as the
 * database's owner (`ownerUrl`). A failure is logged and does not stop the remaining work, for this tenant or any other. While the clocks of
 * this process and the database differ, either may be wrong, so what a tenant keeps for days is not deleted.
 */
export async function cleanUp(ownerUrl: string, isClosed: () => boolean = () => false): Promise<void> {
  const { database, log } = runtime()
  const tenants = await database.inDirectory(listServedTenantIds)
  const now = await database.inDirectory(readDatabaseClock)
  const agree = (await checkClock()) === undefined
  if (agree)
    await keepPartitions(ownerUrl, tenants, now).catch((error: unknown) =>
      log.warn({ err: error }, 'the partitions of spans could not be maintained; the next round tries again'),
    )
  else log.warn('the clock is wrong, so retention deletes nothing; the next round tries again')
  for (const purge of agree ? [...retained, ...purges] : purges)
    await eachTenant(listServedTenantIds, ({ id }) => purge(id, now), {
      isStopped: isClosed,
      failed: `${purge.name} failed; the next round tries again`,
    })
}

/**
 * Drops whole days that are past every tenant's retention. From days that only some tenants still need, the others
 * delete their rows. Also retires the role of earlier versions when their last process has ended. `now` is a time of the database's clock.
 */
export async function keepPartitions(ownerUrl: string, tenants: readonly { id: string }[], now: number): Promise<void> {
  const today = new Date(now).toISOString().slice(0, 10)
  const isOverNow = async () => isOver(await Promise.all(tenants.map(({ id }) => retentionLimit(id, now))))
  const wasOver = await isOverNow()
  await asOwnerOf(ownerUrl, async (client) => {
    await makePartitions(client, today)
    await dropPartitions(client, today, async (day) => wasOver(day) && (await isOverNow())(day))
    await retirePredecessor(client)
  })
}
