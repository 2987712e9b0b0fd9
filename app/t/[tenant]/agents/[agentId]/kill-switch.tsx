'use client'

import { useId } from 'react'
import { agentAct } from '#components/agents/agent-acts.ts'
import { useApi } from '#components/api/api.tsx'
import { ReasonDialog } from '#components/forms/reason-dialog.tsx'
import * as t from '#components/texts/agent/en.ts'
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
          <h2 id={id}>{t.killSwitch}</h2>
          <p>{SENTENCES[status]}</p>
        </div>
        <div className="flex flex-wrap items-start gap-2">
          {/* One dialog for each act: what someone else does must not make another act of an open one. */}
          <ReasonDialog
            {...agentAct(client, agent, 'suspend')}
            over={status === 'suspended' || status === 'retired'}
            offered
          />
          <ReasonDialog {...agentAct(client, agent, 'resume')} over={status !== 'suspended'} offered />
          <ReasonDialog {...agentAct(client, agent, 'retire')} over={status === 'retired'} />
        </div>
      </div>
      <Stops agentId={agent.id} />
    </section>
  )
}

const SENTENCES: Record<AgentDetail['status'], string> = {
  registered: t.agentCantRunYet,
  active: t.agentCanRunIn,
  suspended: t.agentIsSuspendedIts,
  retired: t.agentIsRetiredAnd,
}
