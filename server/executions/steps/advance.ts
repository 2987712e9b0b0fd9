import { executionQueue } from '#server/executions/execution-queue.ts'
import { countToolCalls } from '#server/executions/runtimes/count-calls.ts'
import { callKind } from '#server/executions/runtimes/external.ts'
import { nextOf } from '#server/executions/runtimes/next-turn.ts'
import { openTask } from '#server/executions/runtimes/open-task.ts'
import { abandon, perform } from '#server/executions/runtimes/perform.ts'
import { DecidedByOldBindings, Fenced, journal } from '#server/executions/state/journal.ts'
import { type Loaded, loadExecution } from '#server/executions/state/load.ts'
import type { StartedCall } from '#server/executions/state/started-call.ts'
import { setStep } from '#server/executions/state/store.ts'
import { cancelTask, endStopped } from '#server/executions/stop/stop.ts'
import { type StopWatch, watchStop } from '#server/executions/stop/watch-stop.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { JobData } from '#server/kernel/queue.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { beginCall, beginWithCall } from './begin-call.ts'
import { begin, beginningOf } from './beginning.ts'
import { mayBegin } from './concurrency.ts'
import { endExecution } from './end.ts'
import { finishCall, recordFenced } from './finish-call.ts'
import { resumeStep } from './resume.ts'
import { beginWait, settleWait } from './wait-step.ts'
import { leaveTask, loseTask } from './watch-task.ts'

/** What remains to be done after the committed transaction. */
type Turn = { kind: 'wait' } | { kind: 'again' } | { kind: 'call'; call: StartedCall; loaded: Loaded }
/** `on`: nothing needs to be committed before the next turn, which starts from `loaded`. */
type Move = Turn | { kind: 'on'; loaded: Loaded }

/**
 * Advances one execution until it waits or ends, with at most one tool call between two transactions. A process that dies at any
 * point leaves a journal from which the next one continues. Throws to be retried.
 */
export async function advance({ tenantId, id }: JobData): Promise<void> {
  const { database, log, queue, stopping } = runtime()
  const stop = watchStop(tenantId, id)
  try {
    for (;;) {
      if (stopping.aborted) {
        // The job of another process, or of the next start, continues from the journal.
        await database.inTenant(tenantId, (tx) => queue.enqueue(tx, executionQueue, { tenantId, id }))
        return
      }
      const take = (options: TurnOptions) => database.inTenant(tenantId, (tx) => takeTurn(tx, tenantId, id, options))
      const turn = await take({ ahead: true }).catch((error: unknown) => {
        if (error instanceof DecidedByOldBindings) return take({ ahead: false })
        throw error
      })
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
    if (!stop.signal.aborted) throw error
    return undefined
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
  // The fence checks that the state read before the call is still current. It usually is, which saves reading it again.
  return await database
    .inTenant(tenantId, async (tx) =>
      (await finishCall(tx, loaded, call, result, { mayEnd: true })) ? 'later' : 'now',
    )
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

/** `ahead`: the transaction may be rolled back because it was going to act on a decision by old bindings. */
type TurnOptions = { ahead: boolean }

/** One transaction of `advance`: determines the next step from the journal and, for a call, its decision. */
export async function takeTurn(
  tx: Transaction,
  tenantId: string,
  id: string,
  options: TurnOptions = { ahead: false },
): Promise<Turn> {
  let loaded = await loadExecution(tx, tenantId, id)
  while (loaded !== undefined && loaded.row.endedAt === null) {
    const move = await moveOn(tx, loaded, options)
    if (move.kind !== 'on') return move
    loaded = move.loaded
  }
  return { kind: 'wait' }
}

async function moveOn(tx: Transaction, loaded: Loaded, { ahead }: TurnOptions): Promise<Move> {
  const tenantId = loaded.tenant.id
  const { id } = loaded.row
  if (mustStop(loaded)) {
    // The agent's answer about its task determines the outcome, or else the verdict.
    if (loaded.row.stopRequestedAt !== null && openTask(loaded) !== undefined) await cancelTask(tx, tenantId, id)
    else await endStopped(tx, loaded)
    return { kind: 'wait' }
  }
  if (loaded.row.parkedAt !== null) return { kind: 'wait' }
  if (loaded.status === 'queued') {
    if (!(await mayBegin(tx, loaded))) return { kind: 'wait' }
    const { beginning, begun } = beginningOf(loaded)
    const first = nextOf(begun)
    const call =
      ahead && first.kind === 'call' && !reachesLimit(begun, first.tool)
        ? await beginWithCall(tx, begun, beginning, first)
        : undefined
    if (call !== undefined) return turnOf(call, begun)
    return { kind: 'on', loaded: await begin(tx, begun, beginning) }
  }
  const { row } = loaded
  const next = nextOf(loaded)
  if (isLate(loaded) && loaded.status === 'running' && next.kind !== 'resume') {
    await endExecution(tx, loaded, {
      status: 'timed_out',
      error: { code: 'timed_out', message: 'The execution exceeded the time limit in its manifest.' },
    })
    return { kind: 'wait' }
  }
  switch (next.kind) {
    case 'done':
      await endExecution(tx, loaded, { status: 'succeeded', output: next.output })
      return { kind: 'wait' }
    case 'fail':
      await endExecution(tx, loaded, { status: 'failed', error: { code: next.code, message: next.message } })
      return { kind: 'wait' }
    case 'model':
      throw new Error(`The model step ${next.step.id} was not turned into a call.`)
    case 'skip':
      await setStep(tx, tenantId, id, next.step.id, { status: 'skipped', ended: true })
      await journal(tx, { tenantId, id, revision: row.revision }, {}, [{ type: 'step.skipped', stepId: next.step.id }])
      return { kind: 'again' }
    case 'wait':
      await beginWait(tx, loaded, next.step)
      return { kind: 'again' }
    case 'waiting':
      return { kind: (await settleWait(tx, loaded, next.step)) ? 'again' : 'wait' }
    case 'resume':
      return turnOf(await resumeStep(tx, loaded, next), loaded)
    case 'call': {
      if (reachesLimit(loaded, next.tool)) {
        const error = {
          code: 'limit_exceeded',
          message: 'The execution has reached the limit of tool calls in its manifest.',
        }
        await endExecution(tx, loaded, { status: 'failed', error })
        return { kind: 'wait' }
      }
      return turnOf(await beginCall(tx, loaded, next, { ahead }), loaded)
    }
  }
}

const reachesLimit = (loaded: Loaded, tool: { server: string; name: string }): boolean =>
  callKind(tool) === 'tool' && countToolCalls(loaded) >= (loaded.content.spec.limits.maxToolCalls ?? 1000)

const isLate = ({ row }: Loaded): boolean => row.deadlineAt !== null && row.deadlineAt < row.now

/** A stop was requested, or the execution was started while its agent was being suspended. */
const mustStop = ({ row }: Loaded): boolean =>
  row.stopRequestedAt !== null ||
  row.agentStatus === 'retired' ||
  (row.agentStatus === 'suspended' && row.parkedAt === null)

const turnOf = (call: StartedCall | undefined, loaded: Loaded): Turn =>
  call === undefined ? { kind: 'wait' } : { kind: 'call', call, loaded }
