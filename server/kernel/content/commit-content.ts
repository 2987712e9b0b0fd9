import { olderProcesses } from '#server/kernel/db/older-processes.ts'
import { eachTenant } from '#server/kernel/jobs/each-tenant.ts'
import { repeat } from '#server/kernel/jobs/repeat.ts'
import { listServedTenantIds } from '#server/kernel/keys/store.ts'
import { forgetTenantKeys, keptMs, tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { findFormats, insertFormats, lockOldRows, replaceOld, setCompleted } from './format-store.ts'
import { lockRemoval } from './removal-store.ts'
import { type ContentTable, contentContext, contentTables } from './tables.ts'

/** Rows per transaction. */
const lot = 100
const intervalMs = 60_000
/** A process writes what it has loaded about a tenant for `keptMs`, in a transaction that may be open for a minute. */
const settledSeconds = (keptMs + 120_000) / 1000

type Stop = { readonly stopped: boolean }

/**
 * Encrypts content of earlier versions again, so that it carries a commitment. It begins when no process of an earlier
 * version is connected, and ends once for each tenant. Each batch is a transaction: after a crash the next round finds what is
 * left, and several processes wait for each other.
 */
export function startCommitting(): { close(): Promise<void> } {
  const stop = { stopped: false }
  const completed = new Set<string>()
  const failed = 'content was not given commitments; the next round continues'
  const commit = async ({ id }: { id: string }) => {
    if (!completed.has(id) && (await commitContent(id, stop)).completed) completed.add(id)
  }
  const rounds = repeat(
    () => eachTenant(listServedTenantIds, commit, { isStopped: () => stop.stopped, failed }),
    intervalMs,
    (error) => runtime().log.warn({ err: error }, failed),
  )
  return {
    async close() {
      stop.stopped = true
      await rounds.close()
    },
  }
}

/** One round for a tenant. Returns how many rows it wrote again, and whether none are left. */
export async function commitContent(
  tenantId: string,
  stop: Stop = { stopped: false },
  settled = settledSeconds,
): Promise<{ rows: number; completed: boolean }> {
  const { database } = runtime()
  const formats = await database.inTenant(tenantId, async (tx) => {
    const found = await findFormats(tx, tenantId, settled)
    if (found === undefined && !(await olderProcesses(tx))) await insertFormats(tx, tenantId)
    return found
  })
  if (formats === undefined) forgetTenantKeys(tenantId)
  if (formats?.completed === true) return { rows: 0, completed: true }
  // Shortly after the first round, other processes may still write without commitments.
  if (formats?.settled !== true) return { rows: 0, completed: false }
  let rows = 0
  for (const table of contentTables) {
    const written = await commitTable(tenantId, table, stop)
    if (written === undefined) return { rows, completed: false }
    rows += written
  }
  await database.inTenant(tenantId, (tx) => setCompleted(tx, tenantId))
  return { rows, completed: true }
}

/** Returns undefined if it was stopped before the end. */
async function commitTable(tenantId: string, table: ContentTable, stop: Stop): Promise<number | undefined> {
  let written = 0
  let after: readonly string[] | undefined
  do {
    if (stop.stopped) return undefined
    const from: readonly string[] | undefined = after
    const rows = await runtime().database.inTenant(tenantId, async (tx) => {
      await lockRemoval(tx, tenantId)
      const cipher = await tenantCipher(tx, tenantId)
      const found = await lockOldRows(tx, tenantId, table, from, lot)
      for (const { key, place, bytes } of found) {
        const values = table.columns.flatMap((column, index) => {
          const before = bytes[index] ?? null
          if (before === null) return []
          const context = contentContext(table.table, place, column)
          return [{ column, after: cipher.encryptJson(cipher.decryptJson(before, context), context) }]
        })
        await replaceOld(tx, tenantId, table, key, values)
      }
      return found
    })
    written += rows.length
    after = rows.length < lot ? undefined : rows.at(-1)?.key
  } while (after !== undefined)
  return written
}
