'use client'

import { useId } from 'react'
import { agentAct } from '#components/agents/agent-acts.ts'
import { useApi } from '#components/api/api.tsx'
import { ReasonDialog } from '#components/forms/reason-dialog.tsx'
import type { AgentDetail } from '#lib/schemas/agents.ts'
import { Stops } from './stops.tsx'

/** Suspends, resumes and retires the agent, at the top of its page. Each act asks for a reason; a blocked one says why. */
export function KillSwitch({ agent }: { agent: AgentDetail }) {
  const { client } = useApi()
  const id = useId()
  const { status } = agent
  return (
    <section aria-labelledby={id} className="flex flex-col gap-3 border-line border-y py-3">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="flex min-w-0 max-w-[60ch] flex-1 basis-72 flex-col gap-1">
          <h2 id={id}>Kill switch</h2>
          <p>{SENTENCES[status]}</p>
        </div>
        <div className="flex flex-wrap items-start gap-2">
          {status !== 'retired' && (
            <ReasonDialog {...agentAct(client, agent, status === 'suspended' ? 'resume' : 'suspend')} offered />
          )}
          {status !== 'retired' && <ReasonDialog {...agentAct(client, agent, 'retire')} />}
        </div>
      </div>
      <Stops agentId={agent.id} />
    </section>
  )
}

const SENTENCES: Record<AgentDetail['status'], string> = {
  registered: 'The agent can’t run yet: it needs an active release.',
  active:
    'The agent can run in every environment where it has an active release. Suspending it stops all its executions.',
  suspended: 'The agent is suspended: its executions are stopped, or parked until it is resumed.',
  retired: 'The agent is retired and never runs again.',
}
