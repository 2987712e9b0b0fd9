import type { ReasonDialogProps } from '#components/forms/reason-dialog.tsx'
import * as t from '#components/texts/agents/en.ts'
import type { AgentSummary } from '#lib/schemas/agents.ts'
import type { Client } from '#lib/trpc.ts'

export type AgentAct = 'suspend' | 'resume' | 'retire'
type Stoppable = Pick<AgentSummary, 'id' | 'status' | 'revision' | 'displayName'>

/** What stops an agent, lets it run again, or ends it: the kill switch, wherever it is offered. */
export function agentAct(client: Client, agent: Stoppable, act: AgentAct): ReasonDialogProps {
  const { id, revision, displayName } = agent
  const input = (reason: string) => ({ id, expectedRevision: revision, reason })
  const common = {
    keepLabel: t.keepCurrentState,
    permission: 'agent:operate' as const,
    touches: ['agents', 'executions'] as const,
    blocked: whyNot(agent, act),
  }
  switch (act) {
    case 'suspend':
      return {
        ...common,
        label: t.suspendThe,
        busyLabel: t.suspendingAgent,
        title: t.suspend({ displayName }),
        consequence: t.runningExecutionsStopWithin,
        act: (reason, options) => client.agents.suspend.mutate(input(reason), options),
        done: t.isSuspended({ displayName }),
        notDone: t.agentWasNotSuspended,
      }
    case 'resume':
      return {
        ...common,
        label: t.resumeThe,
        busyLabel: t.resumingAgent,
        title: t.resume({ displayName }),
        consequence: t.executionsCanStartAgain,
        act: (reason, options) => client.agents.resume.mutate(input(reason), options),
        done: t.isActiveAgain({ displayName }),
        notDone: t.agentWasNotResumed,
      }
    case 'retire':
      return {
        ...common,
        label: t.retireThe,
        busyLabel: t.retiringAgent,
        title: t.retirePermanently({ displayName }),
        consequence: t.itsParkedExecutionsEnd,
        act: (reason, options) => client.agents.retire.mutate(input(reason), options),
        done: t.isRetired({ displayName }),
        notDone: t.agentWasNotRetired,
      }
  }
}

/** Why the state of the agent does not allow the act; undefined if it does. */
export function whyNot({ status }: Pick<Stoppable, 'status'>, act: AgentAct): string | undefined {
  const from = act === 'suspend' ? 'active' : 'suspended'
  if (status === from) return undefined
  return { suspend: t.cantSuspend, resume: t.cantResume, retire: t.cantRetire }[act]({ status })
}
