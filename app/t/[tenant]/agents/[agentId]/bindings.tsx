'use client'

import { usePages } from '#components/api/use-pages.ts'
import { BindingTable } from '#components/policies/binding-table.tsx'
import { MissingPermission } from '#components/session/request-failed.tsx'
import { useApi, useSession } from '#components/session/session-provider.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import type { AgentDetail } from '#lib/schemas/agents.ts'
import { ProposeBinding } from './propose-binding.tsx'

/** Which policies decide for the agent, and the way to propose another one. */
export function Bindings({ agent }: { agent: AgentDetail }) {
  const { can } = useSession()
  if (!can('policy:read')) return <MissingPermission act="see policy bindings" permission="policy:read" />
  return <BindingList agent={agent} />
}

function BindingList({ agent }: { agent: AgentDetail }) {
  const { client } = useApi()
  const pages = usePages({
    path: ['policyBindings', 'list'],
    input: { agentId: agent.id },
    read: client.policyBindings.list.query,
  })
  return (
    <>
      <BindingTable
        pages={pages}
        about="agent"
        empty={
          <EmptyState title="No policy is bound.">
            Without a binding the agent can’t run: nothing would decide what it may do.
          </EmptyState>
        }
      />
      <ProposeBinding agent={agent} />
    </>
  )
}
