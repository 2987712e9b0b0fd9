import { ApiError } from '#lib/errors.ts'
import { CancelExportInput, ExportJob, terminalExportStatuses } from '#lib/schemas/evidence.ts'
import { mutation } from '#server/kernel/operation.ts'
import { findExport, setExportStatus } from './store.ts'
import { exportViewOf } from './view-of.ts'
import { visibleExport } from './visible-export.ts'

/** Cancels an export in progress. Its worker stops and removes its files. */
export const cancelExport = mutation({
  permission: 'evidence:export',
  input: CancelExportInput,
  output: ExportJob,
  audit: (input) => ({
    action: 'evidence_export.canceled',
    resource: { type: 'evidence_export', id: input.exportId },
    reason: input.reason,
  }),
  async run({ tx, tenant, principal, input }) {
    const row = await visibleExport(tx, tenant, principal, input.exportId)
    if (terminalExportStatuses.includes(row.status))
      throw new ApiError('conflict', `This export has already ended with status ${row.status}.`)
    const where = { tenantId: tenant.id, id: row.id, status: row.status, revision: input.expectedRevision }
    const revision = await setExportStatus(tx, where, 'canceled', {})
    if (revision === undefined)
      throw new ApiError('revision_conflict', 'The export changed after you opened it. Reload it and try again.', {
        details: { revision: row.revision },
      })
    // Its record follows in the same transaction.
    return await exportViewOf(tx, tenant, (await findExport(tx, tenant.id, row.id)) ?? row)
  },
})
