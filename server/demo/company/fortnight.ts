import { ApiError } from '#lib/errors.ts'
import { decide } from '#server/approvals/decide.ts'
import { call, callerOf } from '#server/demo/act-as.ts'
import { execute as startExecution } from '#server/executions/execute.ts'
import { get as getExecution } from '#server/executions/get.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { agents, type Work } from './agents.ts'
import type { Chance } from './chance.ts'
import type { CompanyClock } from './clock.ts'
import type { OwnQueue } from './own-queue.ts'
import { clients, users } from './people.ts'
import { decidedAt, type Piece, planOf } from './plan.ts'
import { sendTrace } from './programs.ts'
import { environment, setUpAgent } from './set-up.ts'
import { deciders, reasonOf, starters } from './work.ts'

type Event = { at: Date; run(): Promise<void> }

export type Fortnight = {
  tenantId: string
  clock: CompanyClock
  queue: OwnQueue
  chance: Chance
  /** How much of the whole: 1, or less for a test. */
  share: number
  /** The last moment of the plan, by the clock. */
  until: Date
}

/** What two weeks of work came to. */
export type Filled = { started: number; decided: number; traces: number }

/** Lets the company work until `until`: each act is an operation of the product, by one of its people or programs. */
export async function liveFortnight({ tenantId, clock, queue, chance, share, until }: Fortnight): Promise<Filled> {
  const callers = new Map<string, Caller>()
  for (const name of [...users.map(({ username }) => username), ...clients.map(({ clientId }) => clientId)])
    callers.set(name, await callerOf(tenantId, name))
  const as = (name: string): Caller => {
    const caller = callers.get(name)
    if (caller === undefined) throw new Error(`The company does not have a member ${name}.`)
    return caller
  }
  const agentIds = new Map<Work, string>()
  const filled: Filled = { started: 0, decided: 0, traces: 0 }
  for (const [work, agent] of Object.entries(agents) as [Work, (typeof agents)[Work]][]) {
    await clock.to(new Date(Date.now() + chance.from(4, 25) * 60_000))
    agentIds.set(work, await setUpAgent(agent, as('sofia'), as(chance.of(['daniel', 'priya']))))
    await queue.runDue()
  }
  const { pieces, traces } = planOf(new Date(), until, share, chance)
  const events: Event[] = [
    ...pieces.map((piece) => ({ at: piece.at, run: () => begin(piece) })),
    ...traces.map(({ at, program }) => ({
      at,
      async run() {
        await sendTrace(as('telemetry'), program, chance)
        filled.traces += 1
      },
    })),
  ]
  while (events.length > 0) {
    const next = events.reduce((first, one) => (one.at < first.at ? one : first))
    events.splice(events.indexOf(next), 1)
    await clock.to(next.at)
    await next.run()
    await queue.runDue()
  }
  return filled

  async function begin({ work, fate, input }: Piece): Promise<void> {
    const starter = as(chance.of(starters[work]))
    const agentId = agentIds.get(work)
    const { executionId } = await call(startExecution, starter, 'executions.execute', {
      agentId,
      environment,
      input,
    }).catch((error: unknown) => {
      // A call that the rules refuse is stored, and is one of the things to look at.
      if (fate === 'refused' && error instanceof ApiError && error.code === 'policy_denied')
        return { executionId: undefined }
      throw error
    })
    filled.started += 1
    await queue.runDue()
    if (executionId === undefined || fate === 'pending' || fate === 'expires') return
    const { steps } = await call(getExecution, starter, 'executions.get', { id: executionId })
    const approvalId = steps.find(({ status }) => status === 'waiting_approval')?.approvalId
    if (approvalId === undefined || approvalId === null) return
    const decision = fate === 'rejected' ? 'reject' : 'approve'
    decideLater({ work, approvalId, decision, stage: 0, before: [starter.principal.username] }, new Date())
  }

  type Turn = { work: Work; approvalId: string; decision: 'approve' | 'reject'; stage: number; before: string[] }

  function decideLater(turn: Turn, asked: Date): void {
    // Until the end, someone has decided what is to be decided.
    const at = new Date(Math.min(decidedAt(asked, turn.work, chance).getTime(), until.getTime()))
    events.push({ at, run: () => decideNow(turn) })
  }

  async function decideNow({ work, approvalId, decision, stage, before }: Turn): Promise<void> {
    const group = deciders[work][Math.min(stage, deciders[work].length - 1)]
    const free = users.filter(({ username, groups }) => groups.includes(group ?? '') && !before.includes(username))
    const [first, ...others] = free.map(({ username }) => username)
    if (first === undefined) throw new Error(`No one is left to decide for ${group ?? work}.`)
    const by = chance.of([first, ...others])
    const reason = reasonOf(work, decision, chance)
    const { status } = await call(decide, as(by), 'approvals.decide', {
      approvalId,
      decision,
      decisionAcknowledged: true,
      reason,
    })
    if (status === 'pending')
      decideLater({ work, approvalId, decision, stage: stage + 1, before: [...before, by] }, new Date())
    else filled.decided += 1
  }
}
