import { endsWhenCut } from '#server/kernel/jobs/when-cut.ts'
import type { JobHandler } from '#server/kernel/queue.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { exportQueue, formerExportQueue } from './export-queue.ts'
import { runExport } from './run-export.ts'

/** Creates the requested archives, one at a time in a process, because each uses a disk and a core. */
export const evidenceExports = endsWhenCut({
  queue: exportQueue,
  concurrency: 1,
  run: ({ tenantId, id }) => runExport(tenantId, id),
})

/** Passes on what a process of an earlier version has enqueued. */
export const formerExports: JobHandler = {
  queue: formerExportQueue,
  concurrency: 1,
  run: ({ tenantId, id }) =>
    runtime().database.inTenant(tenantId, (tx) => runtime().queue.enqueue(tx, exportQueue, { tenantId, id })),
}
