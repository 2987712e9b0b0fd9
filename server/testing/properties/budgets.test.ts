import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { create as createAgent } from '#server/agents/create.ts'
import { decide as decideApproval } from '#server/approvals/decide.ts'
import { registerDecisions } from '#server/jobs.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { newId } from '#server/kernel/ids.ts'
import { execute, type Operation } from '#server/kernel/operation.ts'
import { proposeBinding } from '#server/policies/bindings/propose.ts'
import { type CallEnd, reserveAgain, settleBudgets } from '#server/policies/budgets/settle-budgets.ts'
import { createPolicy } from '#server/policies/create.ts'
import { createVersion } from '#server/policies/create-version.ts'
import { decide } from '#server/policies/decisions/decide.ts'
import { closeEngine } from '#server/policies/engine/engine.ts'
import { publishVersion } from '#server/policies/publish-version.ts'
import { modelCall } from '#server/testing/model-call.ts'
import { type TestTenant, testRuntime, testTenant } from '#server/testing/tenant.ts'
import { countCases, sized } from './counts.ts'

// A budget's use is the sum of what was charged and what is still reserved, and never exceeds its limit, in any order of
// events: random histories of calls that are requested, end, are repeated, or whose transaction never commits. Each history
// runs twice: sequentially, compared with a model; then with three concurrent actors, without the model.

const histories = sized(300, 6)
const actsEach = 25
const limits = { calls: 8, tokens: 600 }

let base: Awaited<ReturnType<typeof testRuntime>>
let tenant: TestTenant
let developer: Caller

const perform = <I, O>(operation: Operation<I, O>, input: unknown, caller = developer): Promise<O> =>
  execute(operation, caller, input, { name: 'proof' })
const inTenant = <T>(work: (tx: Transaction) => Promise<T>) => base.database.inTenant(tenant.id, work)

beforeAll(async () => {
  base = await testRuntime()
  registerDecisions()
  await base.queue.work([{ queue: 'approval-expiry', concurrency: 1, run: () => Promise.resolve() }])
  tenant = await testTenant(base)
  developer = await tenant.as('devi', { roles: ['developer'] })
  const approver = await tenant.as('jonas', { roles: ['approver'], groups: ['change-approvers'] })
  const budget = (unit: 'calls' | 'tokens') =>
    `@id("${unit}") @obligation("budget") @budget_limit("${limits[unit]}") @budget_unit("${unit}") forbid (principal, action == Countersign::Action::"ModelCall", resource) unless { context.fulfilled.contains("budget:${unit}") };`
  const source = `@id("all") permit (principal, action, resource);\n${budget('calls')}\n${budget('tokens')}`
  const { id: policyId } = await perform(createPolicy, { name: 'purse' })
  await perform(createVersion, { policyId, source })
  await perform(publishVersion, { policyId, version: 1 })
  const binding = { selector: { purse: 'yes' }, environment: 'production', policyId, policyVersion: 1 }
  const { approvalId } = await perform(proposeBinding, binding)
  const vote = { approvalId, decision: 'approve', decisionAcknowledged: true, reason: 'Read it.' }
  await perform(decideApproval, vote, approver)
}, 120_000)
afterAll(async () => {
  await closeEngine()
  await base.close()
})

async function newAgent(): Promise<{ id: string; name: string }> {
  const name = `spends-${newId().slice(-12)}`
  const manifest = { metadata: { name, version: '1', labels: { purse: 'yes' } }, spec: { runtime: { observe: {} } } }
  return (await perform(createAgent, { yaml: JSON.stringify(manifest) })).agent
}

/** A call in the model: its open attempt, and the tokens that its attempts use. */
type Call = { decisionId: string; attempt: number; tokens: number; open: boolean; callOpen: boolean; busy: boolean }
type Model = { calls: Call[]; used: { calls: number; tokens: number } }
class Lost extends Error {}

/** Performs a random act. With `exact`, no other actor runs, so the model predicts each result. */
async function act(agent: { id: string; name: string }, model: Model, exact: boolean): Promise<void> {
  const draw = randomInt(10)
  const call = model.calls[randomInt(Math.max(1, model.calls.length))]
  if (draw < 5 || call === undefined) return await askFor(randomInt(1, 200))
  // A call belongs to one worker at a time.
  if (call.busy) return
  call.busy = true
  await (draw < 8 ? end(call) : again(call))
  call.busy = false

  async function askFor(tokens: number): Promise<void> {
    const lost = randomInt(4) === 0
    const fits = model.used.calls < limits.calls && model.used.tokens + tokens <= limits.tokens
    const decision = await inTenant(async (tx) => {
      const made = await decide(tx, tenant, modelCall(agent, { most: { tokens } }))
      if (lost) throw new Lost()
      return made
    }).catch((error: unknown) => {
      if (error instanceof Lost) return undefined
      throw error
    })
    if (decision === undefined) return
    if (exact) expect(decision.effect).toBe(fits ? 'allow' : 'deny')
    if (decision.effect === 'deny') {
      expect(decision.reasons[0]?.code).toBe('budget_exhausted')
      return
    }
    model.used.calls += 1
    model.used.tokens += tokens
    model.calls.push({ decisionId: decision.decisionId, attempt: 1, tokens, open: true, callOpen: true, busy: false })
  }

  async function end(call: Call): Promise<void> {
    const { decisionId, attempt, tokens, open, callOpen } = call
    const real = randomInt(tokens + 1)
    const ends: CallEnd[] = [
      { made: 'no' },
      { made: 'unknown' },
      { made: 'not served' },
      { made: 'yes', tokens: real },
      { made: 'yes' },
    ]
    const how = ends[randomInt(ends.length)] ?? { made: 'no' }
    const charged =
      how.made === 'no' || how.made === 'not served' ? 0 : how.made === 'yes' ? (how.tokens ?? tokens) : tokens
    const endsCall = callOpen && attempt === 1 && how.made !== 'not served'
    if (open) model.used.tokens -= tokens - charged
    if (endsCall && how.made === 'no') model.used.calls -= 1
    call.open = false
    if (endsCall) call.callOpen = false
    const uses = await inTenant((tx) => settleBudgets(tx, tenant.id, { decisionId, attempt }, how))
    expect(uses.map(({ unit }) => unit).sort()).toEqual([...(endsCall ? ['calls'] : []), ...(open ? ['tokens'] : [])])
  }

  async function again(call: Call): Promise<void> {
    if (call.open) return
    call.open = true
    call.attempt += 1
    const fits = model.used.tokens + call.tokens <= limits.tokens
    const { decisionId, attempt } = call
    const made = await inTenant((tx) => reserveAgain(tx, tenant.id, { decisionId, attempt }))
    if (exact) expect(made).toBe(fits)
    if (made) model.used.tokens += call.tokens
    else {
      // As in the product, where the execution ends and doesn't repeat the call.
      call.open = false
      call.attempt -= 1
    }
  }
}

/** Returns the use that the windows state, which must equal what was reserved in them. */
async function standing(agentId: string): Promise<{ calls: number; tokens: number }> {
  const rows = await inTenant((tx) =>
    tx
      .selectFrom('policyBudgetWindows as window')
      .leftJoin('policyBudgetReservations as reservation', 'reservation.windowId', 'window.id')
      .select(['window.unit', 'window.used', 'reservation.reserved', 'reservation.charged'])
      .where('window.agentId', '=', agentId)
      .execute(),
  )
  const of = (unit: 'calls' | 'tokens'): number => {
    const own = rows.filter((row) => row.unit === unit)
    const held = own.reduce((sum, { charged, reserved }) => sum + Number(charged ?? reserved ?? 0), 0)
    const used = Number(own[0]?.used ?? 0)
    expect(used).toBe(held)
    expect(used).toBeLessThanOrEqual(limits[unit] * 1_000_000)
    return used / 1_000_000
  }
  return { calls: of('calls'), tokens: of('tokens') }
}

test(`${histories} random histories of budgets keep to the limit, sequentially and with three concurrent actors`, async (context) => {
  for (let history = 0; history < histories; history++) {
    const exact = history % 2 === 0
    const agent = await newAgent()
    const model: Model = { calls: [], used: { calls: 0, tokens: 0 } }
    if (exact)
      for (let n = 0; n < actsEach; n++) {
        await act(agent, model, true)
        expect(await standing(agent.id)).toEqual(model.used)
      }
    else {
      const actor = async () => {
        for (let n = 0; n < actsEach; n++) await act(agent, model, false)
      }
      await Promise.all([actor(), actor(), actor()])
      expect(await standing(agent.id)).toEqual(model.used)
    }
  }
  countCases(context, histories)
}, 600_000)
