'use client'

import { useApi } from '#components/api/api.tsx'
import { ReasonDialog } from '#components/forms/reason-dialog.tsx'
import type { AgentDetail } from '#lib/schemas/agents.ts'
import { Stops } from './stops.tsx'

/** Suspends, resumes and retires the agent. Each action asks for a reason, and states why if the agent's status blocks it. */
export function KillSwitch({ agent }: { agent: AgentDetail }) {
  const { client } = useApi()
  const { id, status, revision, displayName } = agent
  const input = (reason: string) => ({ id, expectedRevision: revision, reason })
  const common = {
    keepLabel: 'Keep the current state',
    permission: 'agent:operate' as const,
    touches: ['agents', 'executions'] as const,
  }
  return (
    <>
      <p className="max-w-[75ch]">{SENTENCES[status]}</p>
      <div className="flex flex-wrap items-start gap-3">
        <ReasonDialog
          {...common}
          label="Suspend the agent"
          busyLabel="Suspending the agent…"
          title={`Suspend ${displayName}?`}
          consequence="Running executions stop within seconds. A call in progress may end with an unknown outcome. Executions that wait for people are parked and their deadlines are paused. No new execution starts until the agent is resumed."
          blocked={status === 'active' ? undefined : blockedWord('suspended', status)}
          act={(reason, options) => client.agents.suspend.mutate(input(reason), options)}
          done={`${displayName} is suspended.`}
          notDone="The agent was not suspended."
        />
        <ReasonDialog
          {...common}
          label="Resume the agent"
          busyLabel="Resuming the agent…"
          title={`Resume ${displayName}?`}
          consequence="Executions can start again. Parked executions continue where they waited, with the time that they had left. Executions that were stopped remain stopped."
          blocked={status === 'suspended' ? undefined : blockedWord('resumed', status)}
          act={(reason, options) => client.agents.resume.mutate(input(reason), options)}
          done={`${displayName} is active again.`}
          notDone="The agent was not resumed."
        />
        <ReasonDialog
          {...common}
          label="Retire the agent"
          busyLabel="Retiring the agent…"
          title={`Retire ${displayName} permanently?`}
          consequence="Its parked executions end, and the agent never runs again. You can’t undo this. Its records remain."
          blocked={status === 'suspended' ? undefined : blockedWord('retired', status)}
          act={(reason, options) => client.agents.retire.mutate(input(reason), options)}
          done={`${displayName} is retired.`}
          notDone="The agent was not retired."
        />
      </div>
      <Stops agentId={id} />
    </>
  )
}

type Status = AgentDetail['status']

const SENTENCES: Record<Status, string> = {
  registered: 'The agent can’t run yet: it needs an active release.',
  active:
    'The agent can run in every environment where it has an active release. Suspending it stops all its executions.',
  suspended: 'The agent is suspended: its executions are stopped, or parked until it is resumed.',
  retired: 'The agent is retired and never runs again.',
}

function blockedWord(act: 'suspended' | 'resumed' | 'retired', status: Status): string {
  const from = act === 'suspended' ? 'active' : 'suspended'
  return `Only an agent that is ${from} can be ${act}; this one is ${status}.`
}
