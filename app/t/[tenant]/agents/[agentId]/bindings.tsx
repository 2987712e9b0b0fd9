'use client'

import { usePages } from '#components/api/use-pages.ts'
import { BindingTable } from '#components/policies/binding-table.tsx'
import { MissingPermission } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/agent/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { AgentDetail } from '#lib/schemas/agents.ts'
import { useTRPC } from '#lib/trpc.ts'
import { ProposeBinding } from './propose-binding.tsx'

/** Lists the policies that decide for the agent, with a form to propose another binding. */
export function Bindings({ agent }: { agent: AgentDetail }) {
  const { can } = useSession()
  if (!can('policy:read')) return <MissingPermission act={t.seePolicyBindings} permission="policy:read" />
  return <BindingList agent={agent} />
}

function BindingList({ agent }: { agent: AgentDetail }) {
  const trpc = useTRPC()
  const pages = usePages(trpc.policyBindings.list, { agentId: agent.id })
  return (
    <>
      <BindingTable
        pages={pages}
        about="agent"
        empty={<EmptyState title={t.noPoliciesAreBound}>{t.proposeBindingFirstWithout}</EmptyState>}
      />
      <ProposeBinding agent={agent} />
    </>
  )
}
