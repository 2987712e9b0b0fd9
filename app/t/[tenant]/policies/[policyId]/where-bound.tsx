'use client'

import { usePages } from '#components/api/use-pages.ts'
import { BindingTable } from '#components/policies/binding-table.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { useTRPC } from '#lib/trpc.ts'

/** The agents that the policy decides for, now or before. */
export function WhereBound({ policyId }: { policyId: string }) {
  const trpc = useTRPC()
  const pages = usePages(trpc.policyBindings.list, { policyId })
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
