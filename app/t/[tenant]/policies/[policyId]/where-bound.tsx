'use client'

import { usePages } from '#components/api/use-pages.ts'
import { BindingTable } from '#components/policies/binding-table.tsx'
import { useApi } from '#components/session/session-provider.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'

/** The agents that the policy decides for, now or before. */
export function WhereBound({ policyId }: { policyId: string }) {
  const { client } = useApi()
  const pages = usePages({
    path: ['policyBindings', 'list'],
    input: { policyId },
    read: client.policyBindings.list.query,
  })
  return (
    <BindingTable
      pages={pages}
      about="policy"
      empty={
        <EmptyState title="It is bound nowhere.">
          It decides nothing until a binding of a published version is proposed and approved.
        </EmptyState>
      }
    />
  )
}
