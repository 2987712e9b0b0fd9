'use client'

import Link from 'next/link'
import { type AgentAct, whyNot } from '#components/agents/agent-acts.ts'
import { whoCan } from '#components/navigation/action-link.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/agents/en.ts'
import { MenuItem, MenuLink } from '#components/ui/controls/menu.tsx'
import { executionsPath, newExecutionPath } from '#lib/paths.ts'
import type { AgentSummary } from '#lib/schemas/agents.ts'

export type AgentMenuItemsProps = { agent: AgentSummary; choose: (act: AgentAct) => void }

export function AgentMenuItems({ agent, choose }: AgentMenuItemsProps) {
  const { tenant, can } = useSession()
  const stop: AgentAct = agent.status === 'suspended' ? 'resume' : 'suspend'
  const reason = (act: AgentAct) => (can('agent:operate') ? whyNot(agent, act) : whoCan('agent:operate'))
  const item = (act: AgentAct, label: string) => {
    const blocked = reason(act)
    return (
      <MenuItem onSelect={() => choose(act)} {...(blocked === undefined ? {} : { disabledReason: blocked })}>
        {label}
      </MenuItem>
    )
  }
  return (
    <>
      {item(stop, stop === 'suspend' ? t.suspendAgent : t.resumeAgent)}
      {agent.status === 'suspended' && item('retire', t.retireAgent)}
      <MenuLink>
        <Link href={executionsPath(tenant, { agentId: agent.id })} prefetch={false}>
          {t.showItsExecutions}
        </Link>
      </MenuLink>
      {can('execution:start') && agent.status === 'active' && (
        <MenuLink>
          <Link href={newExecutionPath(tenant, { agentId: agent.id })} prefetch={false}>
            {t.startExecution}
          </Link>
        </MenuLink>
      )}
    </>
  )
}
