import { countToolCalls } from '#server/executions/runtimes/count-calls.ts'
import { callKind } from '#server/executions/runtimes/external.ts'
import { nextOf } from '#server/executions/runtimes/next-turn.ts'
import { openTask } from '#server/executions/runtimes/open-task.ts'
import { DecidedByOldBindings, journal } from '#server/executions/state/journal.ts'
import type { KnownRows } from '#server/executions/state/known-store.ts'
import { type Loaded, loadExecution } from '#server/executions/state/load.ts'
import type { StartedCall } from '#server/executions/state/started-call.ts'
import { setStep } from '#server/executions/state/store.ts'
import { cancelTask, endStopped } from '#server/executions/stop/stop.ts'
import { databaseClock } from '#server/kernel/db/clock.ts'
import { Unforeseen } from '#server/kernel/db/closing.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import type { DecisionAhead } from '#server/policies/decisions/decide.ts'
import { beginCall, beginWithCall } from './begin-call.ts'
import { begin, beginningOf } from './beginning.ts'
import { mayBegin } from './concurrency.ts'
import { endExecution } from './end.ts'
import { resumeStep } from './resume.ts'
import { beginWait, settleWait } from './wait-step.ts'

/** What remains to be done after the committed transaction. */
export type Turn = { kind: 'wait' } | { kind: 'again' } | { kind: 'call'; call: StartedCall; loaded: Loaded }
/** `on`: nothing needs to be committed before the next turn, which starts from `loaded`. */
type Move = Turn | { kind: 'on'; loaded: Loaded }

/** An execution that this process has just stored, as it would read it. `ahead`: the decision on its first call. */
export type Started = { loaded: Loaded; rows: KnownRows; ahead?: DecisionAhead | undefined }

/** An older decision is made again: it may depend on the time. */
const freshMs = 1000

/**
 * The first turn of an execution that this process has just stored, without reading it, if its first call is allowed at once. Undefined,
 * with nothing committed, if it is not, or if anything has happened to the execution since then.
 */
export async function takeKnownTurn(tenantId: string, { loaded, rows, ahead }: Started): Promise<Turn | undefined> {
  // Others that run have to be counted.
  if (loaded.content.spec.limits.concurrency !== undefined) return undefined
  try {
    return await runtime().database.inTenant(tenantId, async (tx) => {
      const now = (await databaseClock(tx))()
      const { beginning, begun } = beginningOf({ ...loaded, row: { ...loaded.row, now } })
      const first = nextOf(begun)
      if (first.kind !== 'call' || reachesLimit(begun, first.tool)) return undefined
      const fresh = ahead !== undefined && performance.now() - ahead.madeAt < freshMs ? ahead : undefined
      const call = await beginWithCall(tx, begun, beginning, first, { rows, ahead: fresh })
      return call === undefined ? undefined : turnOf(call, begun)
    })
  } catch (error) {
    if (error instanceof Unforeseen || error instanceof DecidedByOldBindings) return undefined
    throw error
  }
}

/** `ahead`: the transaction may be rolled back because it was going to act on a decision by old bindings. */
export type TurnOptions = { ahead: boolean }

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
