import type { ReasonDialogProps } from '#components/forms/reason-dialog.tsx'
import type { AgentSummary } from '#lib/schemas/agents.ts'
import type { Client } from '#lib/trpc.ts'

export type AgentAct = 'suspend' | 'resume' | 'retire'
type Stoppable = Pick<AgentSummary, 'id' | 'status' | 'revision' | 'displayName'>

/** What stops an agent, lets it run again, or ends it: the kill switch, wherever it is offered. */
export function agentAct(client: Client, agent: Stoppable, act: AgentAct): ReasonDialogProps {
  const { id, revision, displayName } = agent
  const input = (reason: string) => ({ id, expectedRevision: revision, reason })
  const common = {
    keepLabel: 'Keep the current state',
    permission: 'agent:operate' as const,
    touches: ['agents', 'executions'] as const,
    blocked: whyNot(agent, act),
  }
  switch (act) {
    case 'suspend':
      return {
        ...common,
        label: 'Suspend the agent',
        busyLabel: 'Suspending the agent…',
        title: `Suspend ${displayName}?`,
        consequence:
          'Running executions stop within seconds. A call in progress may end with an unknown outcome. Executions that wait for people are parked and their deadlines are paused. No new execution starts until the agent is resumed.',
        act: (reason, options) => client.agents.suspend.mutate(input(reason), options),
        done: `${displayName} is suspended.`,
        notDone: 'The agent was not suspended.',
      }
    case 'resume':
      return {
        ...common,
        label: 'Resume the agent',
        busyLabel: 'Resuming the agent…',
        title: `Resume ${displayName}?`,
        consequence:
          'Executions can start again. Parked executions continue where they waited, with the time that they had left. Executions that were stopped remain stopped.',
        act: (reason, options) => client.agents.resume.mutate(input(reason), options),
        done: `${displayName} is active again.`,
        notDone: 'The agent was not resumed.',
      }
    case 'retire':
      return {
        ...common,
        label: 'Retire the agent',
        busyLabel: 'Retiring the agent…',
        title: `Retire ${displayName} permanently?`,
        consequence:
          'Its parked executions end, and the agent never runs again. You can’t undo this. Its records remain.',
        act: (reason, options) => client.agents.retire.mutate(input(reason), options),
        done: `${displayName} is retired.`,
        notDone: 'The agent was not retired.',
      }
  }
}

/** Why the state of the agent does not allow the act; undefined if it does. */
export function whyNot({ status }: Pick<Stoppable, 'status'>, act: AgentAct): string | undefined {
  const from = act === 'suspend' ? 'active' : 'suspended'
  if (status === from) return undefined
  const done = { suspend: 'suspended', resume: 'resumed', retire: 'retired' }[act]
  return `Only an agent that is ${from} can be ${done}; this one is ${status}.`
}
