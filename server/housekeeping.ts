import { purgeArchives } from '#server/evidence/retention/purge-archives.ts'
import { purgeTasks } from '#server/executions/gateway/purge-tasks.ts'
import { purgeFiles } from '#server/files/purge.ts'
import { purgeExpired } from '#server/identity/artifacts/adapter.ts'
import { purgeClients } from '#server/identity/clients/registration.ts'
import { purgePlaces } from '#server/identity/strangers/places.ts'
import { expireUnmatched } from '#server/inputs/expire-events.ts'
import { purgeProofs } from '#server/kernel/auth/authorization.ts'
import { asOwnerOf, dropPartitions, makePartitions } from '#server/kernel/db/partitions.ts'
import { retirePredecessor } from '#server/kernel/db/roles.ts'
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

const intervalMs = 10 * 60_000

/**
 * Removes expired rows that are no longer needed, tenant by tenant, and maintains the daily partitions of spans. Runs
 * in every process; concurrent runs do no harm. `ownerUrl`: only the owner may create and drop partitions.
 */
export function startHousekeeping(ownerUrl: string): { close(): Promise<void> } {
  const { database, log } = runtime()
  let closed = false
  const clean = async () => {
    const tenants = await database.inDirectory(listServedTenantIds)
    await keepPartitions(ownerUrl, tenants)
    for (const { id } of tenants)
      for (const purge of [
        purgeExpired,
        purgeClients,
        purgeProofs,
        purgeBudgets,
        purgePlaces,
        purgeWindows,
        expireUnmatched,
        purgeTraces,
        purgePartials,
        purgeContent,
        purgeFiles,
        resumeErasures,
        purgeArchives,
        purgeDeliveries,
        purgeTasks,
      ])
        if (!closed) await purge(id)
  }
  const rounds = repeat(
    clean,
    intervalMs,
    (error) => log.warn({ err: error }, 'housekeeping failed; the next round tries again'),
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
 * Drops whole days that are past every tenant's retention. From days that only some tenants still need, the others
 * delete their rows. Also retires the role of earlier versions when their last process has ended.
 */
export async function keepPartitions(ownerUrl: string, tenants: readonly { id: string }[]): Promise<void> {
  const isOverNow = async () => isOver(await Promise.all(tenants.map(({ id }) => retentionLimit(id))))
  const wasOver = await isOverNow()
  await asOwnerOf(ownerUrl, async (client) => {
    await makePartitions(client)
    await dropPartitions(client, async (day) => wasOver(day) && (await isOverNow())(day))
    await retirePredecessor(client)
  })
}
