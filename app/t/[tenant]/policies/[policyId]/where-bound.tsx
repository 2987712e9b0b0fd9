'use client'

import { usePages } from '#components/api/use-pages.ts'
import { BindingTable } from '#components/policies/binding-table.tsx'
import * as t from '#components/texts/policy/en.ts'
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
      empty={<EmptyState title={t.noBindings}>{t.policyIsntEnforcedUntil}</EmptyState>}
    />
  )
}
