import type { OnAgentStop } from '#server/agents/stops.ts'
import { parkRequests, resumeRequests } from '#server/approvals/clock/park.ts'
import { executionQueue } from '#server/executions/execution-queue.ts'
import { parkWaits, resumeWaits } from '#server/inputs/park.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { tellStop } from './stop.ts'
import { parkExecutions, releaseParked, stopExecutions } from './stop-store.ts'

/**
 * The kill switch, in the transaction that suspends the agent: running executions are asked to stop, waiting ones are parked and
 * their deadlines paused. Every execution gets a new revision, so that no worker continues with an older state.
 */
export const agentSuspended: OnAgentStop = async (tx, tenantId, agentId, reason) => {
  const stopping = await stopExecutions(tx, tenantId, agentId, reason, ['queued', 'running'])
  const parked = await parkExecutions(tx, tenantId, agentId)
  await parkWaits(tx, tenantId, parked)
  await parkRequests(tx, tenantId, parked)
  for (const one of stopping) await tellStop(tx, tenantId, one)
  return { stopping: stopping.length, parked: parked.length }
}

/** Parked executions continue to wait with the time they had left. */
export const agentResumed: OnAgentStop = async (tx, tenantId, agentId) => {
  const resumed = await releaseParked(tx, tenantId, agentId)
  await resumeWaits(tx, tenantId, resumed)
  await resumeRequests(tx, tenantId, resumed)
  for (const id of resumed) await runtime().queue.enqueue(tx, executionQueue, { tenantId, id })
  return { stopping: 0, parked: 0 }
}

/** Ends parked executions, because a retired agent cannot be resumed. */
export const agentRetired: OnAgentStop = async (tx, tenantId, agentId, reason) => {
  const waiting = ['queued', 'running', 'waiting_approval', 'waiting_input'] as const
  const stopping = await stopExecutions(tx, tenantId, agentId, reason, waiting)
  for (const one of stopping) await tellStop(tx, tenantId, one)
  return { stopping: stopping.length, parked: 0 }
}
