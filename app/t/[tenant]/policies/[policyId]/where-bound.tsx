'use client'

import { usePages } from '#components/api/use-pages.ts'
import { BindingTable } from '#components/policies/binding-table.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { useTRPC } from '#lib/trpc.ts'

/** Lists the current and former bindings of the policy. */
export function WhereBound({ policyId }: { policyId: string }) {
  const trpc = useTRPC()
  const pages = usePages(trpc.policyBindings.list, { policyId })
  return (
    <BindingTable
      pages={pages}
      about="policy"
      empty={
        <EmptyState title="No bindings.">
          The policy isn’t enforced until a binding to a published version is proposed and approved.
        </EmptyState>
      }
    />
  )
}
