import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'

/**
 * Does `work` for each tenant that `list` finds, one after the other, until `isStopped`. A failure is logged with
 * the tenant and the message `failed`, and does not stop the work for the others. Rejects only if the tenants can't be listed, at the
 * beginning or after a failure: without a database, the remaining work would fail too.
 */
export async function eachTenant<T extends { id: string }>(
  list: (tx: Transaction) => Promise<readonly T[]>,
  work: (tenant: T) => Promise<unknown>,
  { isStopped, failed }: { isStopped(): boolean; failed: string },
): Promise<void> {
  const { database, log } = runtime()
  for (const tenant of await database.inDirectory(list)) {
    if (isStopped()) return
    try {
      await work(tenant)
    } catch (error) {
      log.warn({ err: error, tenantId: tenant.id }, failed)
      await database.inDirectory(list)
    }
  }
}
