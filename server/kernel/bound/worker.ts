import { olderProcesses } from '#server/kernel/db/older-processes.ts'
import { listTenantIds } from '#server/kernel/keys/store.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { adoptTenant } from './adopt.ts'
import { recheckRows } from './recheck.ts'

const sweepMs = 15_000
/** Every row is compared with the log this often. Its state is in this process only, so that the database can't silence it. */
const recheckMs = 24 * 3600_000

/**
 * Binds the rows of each tenant that are older than this version, once no process of an older version is left, and compares
 * all bound rows with the log: first when the process starts, then daily. Runs in every process; they don't disturb each
 * other.
 */
export function startBinding(everyMs = sweepMs): { close(): Promise<void> } {
  const { config, database, log } = runtime()
  const startedAt = performance.now()
  const adopted = new Set<string>()
  const checkedAt = new Map<string, number>()
  let closed = false
  let work: Promise<void> | undefined

  const sweep = async () => {
    const { older, tenants } = await database.inDirectory(async (tx) => ({
      older: await olderProcesses(tx),
      tenants: await listTenantIds(tx),
    }))
    const quiet = !older && performance.now() - startedAt >= config.adoptRowsAfter * 1000
    for (const { id } of tenants) {
      if (closed) return
      if (quiet && !adopted.has(id) && (await adoptTenant(id))) adopted.add(id)
      const last = checkedAt.get(id)
      if (last !== undefined && performance.now() - last < recheckMs) continue
      if ((await recheckRows(id, () => closed)) !== undefined) checkedAt.set(id, performance.now())
    }
  }
  const run = () => {
    work ??= sweep()
      .catch((error: unknown) => log.warn({ err: error }, 'binding rows to the log failed; the next round tries again'))
      .finally(() => {
        work = undefined
      })
  }
  const timer = setInterval(run, everyMs)
  run()
  return {
    async close() {
      closed = true
      clearInterval(timer)
      await work
    },
  }
}
