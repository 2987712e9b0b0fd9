import type { JobHandler } from '#server/kernel/queue.ts'
import { exportQueue } from './export-queue.ts'
import { runExport } from './run-export.ts'

/** Creates the requested archives, one at a time in a process, because each uses a disk and a core. */
export const evidenceExports: JobHandler = {
  queue: exportQueue,
  concurrency: 1,
  run: ({ tenantId, id }) => runExport(tenantId, id),
}
