import { Unanswered } from '#server/agents/calls/unanswered.ts'
import { executionQueue } from '#server/executions/execution-queue.ts'
import { abandon, perform } from '#server/executions/runtimes/perform.ts'
import { DecidedByOldBindings, Fenced } from '#server/executions/state/journal.ts'
import { type Loaded, loadExecution } from '#server/executions/state/load.ts'
import type { StartedCall } from '#server/executions/state/started-call.ts'
import { type StopWatch, watchStop } from '#server/executions/stop/watch-stop.ts'
import { Unforeseen } from '#server/kernel/db/closing.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { JobData } from '#server/kernel/queue.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { endExecution } from './end.ts'
import { finishCall, recordFenced } from './finish-call.ts'
import { type Started, type Turn, type TurnOptions, takeKnownTurn, takeTurn } from './turn.ts'
import { keepReason } from './unanswered.ts'
import { leaveTask, loseTask } from './watch-task.ts'
import { withdrawRequests } from './withdraw-requests.ts'

/**
 * Advances one execution until it waits or ends, with at most one tool call between two transactions. A process that dies at any
 * point leaves a journal from which the next one continues. Throws to be retried.
 */
export async function advance({ tenantId, id }: JobData, started?: Started): Promise<void> {
  const { database, log, queue, stopping } = runtime()
  const stop = watchStop(tenantId, id)
  let known = started?.rows.isBound === true ? started : undefined
  try {
    for (;;) {
      if (stopping.aborted) {
        // The job of another process, or of the next start, continues from the journal.
        await database.inTenant(tenantId, (tx) => queue.enqueue(tx, executionQueue, { tenantId, id }))
        return
      }
      const take = (options: TurnOptions) => database.inTenant(tenantId, (tx) => takeTurn(tx, tenantId, id, options))
      const first = known
      known = undefined
      const turn =
        (first && (await takeKnownTurn(tenantId, first))) ??
        (await take({ ahead: true }).catch((error: unknown) => {
          if (error instanceof DecidedByOldBindings) return take({ ahead: false })
          throw error
        }))
      if (turn.kind === 'wait') return
      if (turn.kind === 'call' && (await makeCall({ tenantId, id }, turn, stop)) === 'later') return
    }
  } catch (error) {
    if (!(error instanceof Fenced)) throw error
    log.info({ executionId: id }, 'another worker or a member changed the execution; this worker stops')
  } finally {
    stop.close()
  }
}

/**
 * Makes the call and records its answer; `later` when the execution needs no more work from this job. The outcome of an
 * abandoned call is left to the next turn.
 */
async function makeCall(
  { tenantId, id }: JobData,
  { call, loaded }: Extract<Turn, { kind: 'call' }>,
  stop: StopWatch,
): Promise<'now' | 'later'> {
  const { database, log } = runtime()
  const result = await perform(loaded, call, stop.signal).catch((error: unknown) => {
    if (stop.signal.aborted) return undefined
    if (error instanceof Unanswered) return error
    throw error
  })
  if (result === undefined) {
    abandon(loaded, call).catch((error: unknown) =>
      log.warn({ err: error, executionId: id }, 'a tool server could not be stopped'),
    )
    return 'now'
  }
  const record = <R, T>(
    answer: R,
    how: (tx: Transaction, loaded: Loaded, call: StartedCall, answer: R) => Promise<T>,
  ) =>
    database.inTenant(tenantId, async (tx) => {
      const now = await loadExecution(tx, tenantId, id)
      return now === undefined ? undefined : await how(tx, now, call, answer)
    })
  if (result instanceof Unanswered) {
    log.warn({ executionId: id, reason: result.message }, 'the outcome of a tool call is unknown')
    return (await record(result, keepReason)) ?? 'later'
  }
  if ('openTask' in result) {
    await record(result, leaveTask)
    return 'later'
  }
  if ('lostTask' in result) {
    await record(result, loseTask)
    return 'now'
  }
  const unless = (fenced: () => Promise<'now' | 'later'>) => (error: unknown) => {
    if (error instanceof Fenced) return fenced()
    throw error
  }
  const finish = (call: StartedCall) =>
    database.inTenant(tenantId, async (tx) =>
      (await finishCall(tx, loaded, call, result, { mayEnd: true })) ? 'later' : 'now',
    )
  // The fence checks that the state read before the call is still current. It usually is, which saves reading it again.
  return await finish(call)
    .catch((error: unknown) => {
      // Such as telemetry that came for the same trace: the rows are read.
      if (error instanceof Unforeseen) return finish({ ...call, known: undefined })
      throw error
    })
    .catch(
      // The agent was suspended or the time has run out, which the next turn handles; or the execution has changed.
      unless(async () => {
        await record(result, finishCall).catch(
          unless(async () => {
            if ((await record(result, recordFenced)) !== 'still ours') throw new Fenced(`Execution ${id} has changed.`)
            return 'now'
          }),
        )
        return 'now'
      }),
    )
}

/** Ends an execution that could not be advanced for too long, so that none is left in a state that no worker handles. */
export async function giveUp({ tenantId, id }: JobData): Promise<void> {
  await runtime().database.inTenant(tenantId, async (tx) => {
    const loaded = await loadExecution(tx, tenantId, id)
    if (loaded === undefined || loaded.row.endedAt !== null) return
    const calling = loaded.steps.some((step) => step.status === 'calling')
    await withdrawRequests(tx, loaded)
    await endExecution(
      tx,
      loaded,
      calling
        ? {
            status: 'indeterminate',
            error: { code: 'outcome_unknown', message: 'It is unknown whether the last tool call ran.' },
          }
        : {
            status: 'failed',
            error: { code: 'internal', message: 'The execution could not continue because of an internal error.' },
          },
    )
  })
}
