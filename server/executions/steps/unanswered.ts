import { isJsonObject } from '#lib/json.ts'
import type { Unanswered } from '#server/agents/calls/unanswered.ts'
import { executionQueue } from '#server/executions/execution-queue.ts'
import { Fenced, journal } from '#server/executions/state/journal.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import type { StartedCall } from '#server/executions/state/started-call.ts'
import { setStep } from '#server/executions/state/store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import type { ReleasedTool } from '#server/releases/content.ts'

export const maxAttempts = 5

/** Whether a call whose outcome is unknown is made again, after `attempts`. */
export const mayRepeat = ({ row }: Pick<Loaded, 'row'>, { idempotent }: ReleasedTool, attempts: number): boolean =>
  idempotent && attempts < maxAttempts && (row.deadlineAt === null || row.deadlineAt >= row.now)

/** Why the call of a step did not get a result; undefined if its worker has died. */
export const reasonKept = ({ status, output }: Loaded['steps'][number]): string | undefined =>
  status === 'calling' && isJsonObject(output) && typeof output.unanswered === 'string' ? output.unanswered : undefined

/**
 * Keeps with its step why a call did not get a result: the turn that follows journals it, and ends the execution or calls again. `later`
 * when that is another job's, which leaves the server some time before it is called again.
 */
export async function keepReason(
  tx: Transaction,
  { tenant, row, steps }: Loaded,
  { step, tool, attempt }: StartedCall,
  { message: unanswered }: Unanswered,
): Promise<'now' | 'later'> {
  if (row.endedAt !== null) return 'later'
  const record = steps.find(({ stepId }) => stepId === step.id)
  if (record?.status !== 'calling' || record.attempts !== attempt)
    throw new Fenced(`Another worker has continued execution ${row.id}.`)
  if (row.stopRequestedAt !== null) return 'now'
  await setStep(tx, tenant.id, row.id, step.id, { status: 'calling', output: { unanswered } })
  await journal(tx, { tenantId: tenant.id, id: row.id, revision: row.revision }, {}, [])
  if (!mayRepeat({ row }, tool, attempt)) return 'now'
  await runtime().queue.enqueue(
    tx,
    executionQueue,
    { tenantId: tenant.id, id: row.id },
    { seconds: 2 ** (attempt - 1) },
  )
  return 'later'
}
