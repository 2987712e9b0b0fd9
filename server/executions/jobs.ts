import type { OnDecided } from '#server/approvals/subjects.ts'
import type { JobHandler } from '#server/kernel/queue.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { advance } from './advance.ts'

export const executionQueue = 'executions'

/** Carries executions on until they wait or end. One job of one execution runs at a time. */
export const advanceExecutions: JobHandler = { queue: executionQueue, concurrency: 8, run: advance }

/** A decided approval wakes the execution that waits for it, in the deciding transaction. */
export const toolCallDecided: OnDecided = async (tx, tenant, approval) => {
  await runtime().queue.enqueue(tx, executionQueue, { tenantId: tenant.id, id: approval.subjectId })
}
