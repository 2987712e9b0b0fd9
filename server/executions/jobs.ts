import type { OnDecided } from '#server/approvals/subjects.ts'
import { advance, giveUp } from '#server/executions/steps/advance.ts'
import type { OnInput } from '#server/inputs/listeners.ts'
import type { JobHandler } from '#server/kernel/queue.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { executionQueue } from './execution-queue.ts'

/** About ten minutes of retries. A database outage does not count, because no job runs during one. */
const maxRetries = 15

/** Advances executions until they wait or end. At most one job per execution runs at a time. */
export const advanceExecutions: JobHandler = {
  queue: executionQueue,
  concurrency: 8,
  run: (data, retries) => (retries < maxRetries ? advance(data) : giveUp(data)),
}

/** Wakes the execution that waits for a decided approval, in the deciding transaction. */
export const toolCallDecided: OnDecided = async (tx, tenant, approval) => {
  await runtime().queue.enqueue(tx, executionQueue, { tenantId: tenant.id, id: approval.subjectId })
}

/** Wakes the execution when an input is matched, expired or canceled. */
export const inputArrived: OnInput = (tx, tenantId, id) => runtime().queue.enqueue(tx, executionQueue, { tenantId, id })
