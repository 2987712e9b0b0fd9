import { expireFiles } from '#server/files/expire.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { type Gone, insertErased } from '#server/kernel/content/erased-store.ts'
import { removing } from '#server/kernel/content/removing.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { settingsOf } from '#server/tenants/view.ts'
import { expireExecutions, expireRows, findExpiredExecutions, withoutExecution } from './retention-store.ts'

const executionsAtOnce = 50
const rowsAtOnce = 200

/**
 * Deletes content that at `now`, a time of the database's clock, is older than the tenant's retention. All content of an execution is
 * deleted together, counted from its end; other content is counted from its decision, settlement or creation. Rows, states, digests and
 * the audit log are kept, and so is content in progress, open or on hold. Each transaction writes an audit record; after a crash the next
 * round continues.
 */
export async function purgeContent(tenantId: string, now: number): Promise<void> {
  const { database } = runtime()
  const { retentionDays } = await database.inTenant(tenantId, async (tx) => settingsOf(await tenantById(tx, tenantId)))
  if (retentionDays === null) return
  const before = new Date(now - retentionDays * 86_400_000)
  const executions = () =>
    removing(tenantId, async (tx) => {
      const ids = await findExpiredExecutions(tx, tenantId, before, executionsAtOnce)
      if (ids.length > 0) await note(tx, tenantId, 'executions', before, await expireExecutions(tx, tenantId, ids))
      return ids.length === executionsAtOnce
    })
  while (await executions());
  for (const table of withoutExecution) {
    const rows = () =>
      removing(tenantId, async (tx) => {
        const lot = await expireRows(tx, tenantId, table, before, rowsAtOnce)
        await note(tx, tenantId, table, before, lot.gone)
        return lot.rows === rowsAtOnce
      })
    while (await rows());
  }
  await expireFiles(tenantId, before)
}

async function note(
  tx: Transaction,
  tenantId: string,
  table: string,
  before: Date,
  gone: readonly Gone[],
): Promise<void> {
  if (gone.length === 0) return
  const shown = gone.filter(({ resourceId }) => resourceId !== '')
  await insertErased(tx, tenantId, null, shown)
  await appendAudit(tx, await tenantById(tx, tenantId), {
    actor: systemActor,
    action: 'content.expired',
    resource: { type: 'content', id: table },
    details: {
      before: before.toISOString(),
      rows: gone.length,
      ids: [
        ...new Set(
          shown.filter((one) => one.resource !== 'execution' || table === 'executions').map((one) => one.resourceId),
        ),
      ],
    },
  })
}
