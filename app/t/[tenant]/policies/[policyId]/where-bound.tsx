'use client'

import { BindingTable } from '#components/policies/binding-table.tsx'
import { useApi } from '#components/session/session-provider.tsx'
import { usePages } from '#components/session/use-pages.ts'
import { EmptyState } from '#components/ui/empty-state.tsx'

/** The API lists bindings by agent only, so as many as one answer holds are read and sorted out here. */
const perPage = 200

/** The agents that the policy decides for, now or before. */
export function WhereBound({ policyId }: { policyId: string }) {
  const { client } = useApi()
  const pages = usePages({
    path: ['policyBindings', 'list'],
    input: { limit: perPage },
    read: client.policyBindings.list.query,
  })
  return (
    <BindingTable
      pages={{ ...pages, items: pages.items?.filter((binding) => binding.policyId === policyId) }}
      about="policy"
      empty={
        <EmptyState title="It is bound nowhere.">
          {pages.hasMore
            ? 'None of the newest bindings is of this policy; older ones may be.'
            : 'It decides nothing until it is bound to an agent, on the agent’s page.'}
        </EmptyState>
      }
    />
  )
}
