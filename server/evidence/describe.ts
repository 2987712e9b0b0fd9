import { evidenceExportPath } from '#lib/paths.ts'
import type { Describe } from '#server/notifications/describe.ts'
import { findExport } from './store.ts'

/** An archive that can be downloaded, as a message to the outside names it. */
export const describeExport: Describe = async (tx, tenant, id) =>
  (await findExport(tx, tenant.id, id)) === undefined
    ? undefined
    : {
        title: 'An evidence archive can be downloaded',
        ids: { exportId: id },
        outcome: 'ready',
        path: evidenceExportPath(tenant.externalId, id),
      }
