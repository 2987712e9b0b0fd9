import { runtime } from '#server/kernel/runtime.ts'
import { erasureQueue } from './erasure-queue.ts'
import { listForgotten } from './store.ts'

/** Enqueues pending erasures again that lack a job: the queue gives up on a job that has failed a thousand times. */
export async function resumeErasures(tenantId: string): Promise<void> {
  const { database, queue } = runtime()
  await database.inTenant(tenantId, async (tx) => {
    for (const id of await listForgotten(tx, tenantId, erasureQueue))
      await queue.enqueue(tx, erasureQueue, { tenantId, id })
  })
}
