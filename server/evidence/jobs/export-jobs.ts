import { endedWithin } from '#server/kernel/jobs/ended-within.ts'
import type { JobHandler } from '#server/kernel/queue.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { exportQueue, formerExportQueue } from './export-queue.ts'
import { runExport } from './run-export.ts'

/** How long an export that is cut may take to end. Its store may not answer. */
const endMs = 3000

// Owned by this module: the exports that this process makes.
const running = new Set<Promise<void>>()

/** Creates the requested archives, one at a time in a process, because each uses a disk and a core. */
export const evidenceExports: JobHandler = {
  queue: exportQueue,
  concurrency: 1,
  run({ tenantId, id }) {
    const run = runExport(tenantId, id).finally(() => running.delete(run))
    running.add(run)
    return run
  },
}

/** Resolves when the exports that were cut have ended, or soon: the queue then takes back those that have not. */
export const exportsEnded = (): Promise<void> => endedWithin(endMs, Promise.allSettled(running))

/** Passes on what a process of an earlier version has enqueued. */
export const formerExports: JobHandler = {
  queue: formerExportQueue,
  concurrency: 1,
  run: ({ tenantId, id }) =>
    runtime().database.inTenant(tenantId, (tx) => runtime().queue.enqueue(tx, exportQueue, { tenantId, id })),
}
