import { ExportById, ExportJob } from '#lib/schemas/evidence.ts'
import { query } from '#server/kernel/operation.ts'
import { findManifest } from './store.ts'
import { sealedFacts } from './view.ts'
import { exportViewOf } from './view-of.ts'
import { visibleExport } from './visible-export.ts'

/** Returns the state of one export. */
export const getExport = query({
  permission: 'evidence:list',
  permissionForOwn: 'evidence:export',
  input: ExportById,
  output: ExportJob,
  async run({ tx, tenant, principal, input }) {
    const row = await visibleExport(tx, tenant, principal, input.exportId)
    const manifest = await findManifest(tx, tenant.id, row)
    return await exportViewOf(tx, tenant, manifest === null ? row : { ...row, sealed: sealedFacts(manifest) })
  },
})
