'use client'

import { useApi } from '#components/api/api.tsx'
import { ReasonDialog } from '#components/forms/reason-dialog.tsx'
import type { AgentDetail } from '#lib/schemas/agents.ts'
import { Stops } from './stops.tsx'

/** Suspend, resume and retire: each with a reason, and blocked with its own where the agent's state does not allow it. */
export function KillSwitch({ agent }: { agent: AgentDetail }) {
  const { client } = useApi()
  const { id, status, revision, displayName } = agent
  const input = (reason: string) => ({ id, expectedRevision: revision, reason })
  const common = {
    keepLabel: 'Leave it as it is',
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
          busyLabel="Suspending the agent"
          title={`Suspend ${displayName}?`}
          consequence="What runs is asked to stop and ends within seconds; a call that is under way may end with an unknown outcome. What waits for people is parked with its deadlines stopped. Nothing new starts until somebody resumes it."
          blocked={status === 'active' ? undefined : blockedWord('suspended', status)}
          act={(reason, options) => client.agents.suspend.mutate(input(reason), options)}
          done={`${displayName} is suspended.`}
          notDone="The agent was not suspended."
        />
        <ReasonDialog
          {...common}
          label="Resume the agent"
          busyLabel="Resuming the agent"
          title={`Resume ${displayName}?`}
          consequence="Executions can start again, and the parked ones go on where they waited, with as much time as they had. What was stopped stays stopped."
          blocked={status === 'suspended' ? undefined : blockedWord('resumed', status)}
          act={(reason, options) => client.agents.resume.mutate(input(reason), options)}
          done={`${displayName} is active again.`}
          notDone="The agent was not resumed."
        />
        <ReasonDialog
          {...common}
          label="Retire the agent"
          busyLabel="Retiring the agent"
          title={`Retire ${displayName} for good?`}
          consequence="Its parked executions end. It never runs again, and this can’t be taken back; its records stay."
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
  registered: 'It has not run yet: no release of it is active.',
  active: 'It may run where a release of it is active. Suspending it stops everything that it does.',
  suspended: 'It is suspended: nothing of it runs, and what waited for people is parked until it is resumed.',
  retired: 'It is retired and never runs again.',
}

function blockedWord(act: 'suspended' | 'resumed' | 'retired', status: Status): string {
  const from = act === 'suspended' ? 'active' : 'suspended'
  return `Only an agent that is ${from} can be ${act}; this one is ${status}.`
}
