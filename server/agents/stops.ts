import type { Transaction } from '#server/kernel/db/database.ts'

/** Stops, resumes or ends an agent's executions in the transaction that changes the agent. */
export type OnAgentStop = (
  tx: Transaction,
  tenantId: string,
  agentId: string,
  reason: string,
) => Promise<{ stopping: number; parked: number }>

export type StopKind = 'suspended' | 'resumed' | 'retired'

// Filled once by server/jobs.ts, because agents does not import executions.
const acts = new Map<StopKind, OnAgentStop>()

export function onAgentStop(kind: StopKind, act: OnAgentStop): void {
  acts.set(kind, act)
}

/** Throws without a registered handler, because a kill switch that stops nothing must not be recorded. */
export const tellExecutions = (
  kind: StopKind,
  ...[tx, tenantId, agentId, reason]: Parameters<OnAgentStop>
): ReturnType<OnAgentStop> => {
  const act = acts.get(kind)
  if (act === undefined) throw new Error('No domain handles the stop of an agent.')
  return act(tx, tenantId, agentId, reason)
}
