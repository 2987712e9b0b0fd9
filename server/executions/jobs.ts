import type { OnDecided } from '#server/approvals/subjects.ts'
import { advance, giveUp } from '#server/executions/steps/advance.ts'
import type { OnInput } from '#server/inputs/listeners.ts'
import type { JobHandler } from '#server/kernel/queue.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { executionQueue } from './execution-queue.ts'

/** About ten minutes of trying again; an outage of the database does not count, because then nothing is tried. */
const maxRetries = 15

/** Carries executions on until they wait or end. One job of one execution runs at a time. */
export const advanceExecutions: JobHandler = {
  queue: executionQueue,
  concurrency: 8,
  run: (data, retries) => (retries < maxRetries ? advance(data) : giveUp(data)),
}

/** A decided approval wakes the execution that waits for it, in the deciding transaction. */
export const toolCallDecided: OnDecided = async (tx, tenant, approval) => {
  await runtime().queue.enqueue(tx, executionQueue, { tenantId: tenant.id, id: approval.subjectId })
}

/** So does an input that was matched, expired or canceled. */
export const inputArrived: OnInput = (tx, tenantId, id) => runtime().queue.enqueue(tx, executionQueue, { tenantId, id })
