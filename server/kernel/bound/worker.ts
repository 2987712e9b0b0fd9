import type { Transaction } from '#server/kernel/db/database.ts'
import { olderProcesses } from '#server/kernel/db/older-processes.ts'
import { repeat } from '#server/kernel/jobs/repeat.ts'
import { listServedTenantIds } from '#server/kernel/keys/store.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { adoptTenant, rememberEnds } from './adopt.ts'
import { adoptionOf, isLaterBound } from './adopted.ts'
import { writeLease } from './adoption-lease.ts'
import { recheckOpenDays, recheckRows } from './recheck.ts'
import { RestingPace } from './resting-pace.ts'

const sweepMs = 15_000
/** The rows that today's records commit to are compared again this long after the last comparison. */
const openMs = 4 * 60_000
/** Every row is compared with the log this often. Its state is in this process only, so that the database can't silence it. */
const allMs = 24 * 3600_000

type Every = { sweep: number; open: number; all: number }

/**
 * Binds the rows of each tenant that are older than this version, once no process of an older version is left, and compares
 * bound rows with the log: all of them when the process starts and then daily, those of today's records every few minutes.
 * The comparisons use at most a fifth of the time of one connection each. Runs in every worker; they don't disturb each other.
 */
export function startBinding(every: Partial<Every> = {}): { close(): Promise<void> } {
  const { config, database, log } = runtime()
  const { sweep = sweepMs, open = openMs, all = allMs } = every
  const startedAt = performance.now()
  const adopted = new Set<string>()
  const remembered = new Set<string>()
  const closing = new AbortController()
  const { signal } = closing
  const tenants = () => database.inDirectory(listServedTenantIds)
  const inTenant = <T>(id: string, work: (tx: Transaction) => Promise<T>) => database.inTenant(id, work)

  /** One tenant's key, memory or rows must not keep the others from being checked. */
  const failedFor = (tenantId: string) => (error: unknown) => {
    log.error({ err: error, tenantId }, 'binding a tenant’s rows to the log failed; the next round tries again')
    return undefined
  }
  /** Apart from the adoption, which may take longer than a confirmation is valid. */
  const confirm = async () => {
    for (const { id } of await tenants()) {
      if (signal.aborted) return
      if (adopted.has(id)) continue
      await inTenant(id, async (tx) => {
        const adoption = await adoptionOf(tx, id)
        if (adoption === 'open') await writeLease(tx, id, 'all')
        else if (!(await isLaterBound(tx, id))) await writeLease(tx, id, 'later')
      }).catch(failedFor(id))
    }
  }
  const adopt = async () => {
    // Before anything that may take days: until then, only the database has the end of an adoption.
    for (const { id } of await tenants()) {
      if (signal.aborted) return
      if (!remembered.has(id) && (await rememberEnds(id).catch(failedFor(id)))) remembered.add(id)
    }
    if (await database.inDirectory((tx) => olderProcesses(tx))) return
    if (performance.now() - startedAt < config.adoptRowsAfter * 1000) return
    for (const { id } of await tenants()) {
      if (signal.aborted) return
      if (!adopted.has(id) && (await adoptTenant(id, signal).catch(failedFor(id)))) adopted.add(id)
    }
  }
  /** Runs `check` for each tenant that is due; one whose adoption is open stays due. */
  const checking = (check: typeof recheckRows, dueMs: number) => {
    const checkedAt = new Map<string, number>()
    return async () => {
      for (const { id } of await tenants()) {
        if (signal.aborted) return
        const last = checkedAt.get(id)
        if (last !== undefined && performance.now() - last < dueMs) continue
        const found = await check(id, new RestingPace(signal)).catch(failedFor(id))
        if (found !== undefined) checkedAt.set(id, performance.now())
      }
    }
  }
  const loops = [confirm, adopt, checking(recheckOpenDays, open), checking(recheckRows, all)].map((work) =>
    repeat(work, sweep, (error) =>
      log.warn({ err: error }, 'binding rows to the log failed; the next round tries again'),
    ),
  )
  return {
    async close() {
      closing.abort()
      await Promise.all(loops.map((loop) => loop.close()))
    },
  }
}
