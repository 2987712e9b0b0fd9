'use client'

import { useQuery } from '#components/api/query.ts'
import type { Approval } from '#lib/schemas/approvals.ts'
import { useTRPC } from '#lib/trpc.ts'

/** What was decided before on the same object and the same action. Sections of one page share the answer. */
export function useHistory({ approvalId }: Pick<Approval, 'approvalId'>) {
  const trpc = useTRPC()
  return useQuery(trpc.approvals.history.queryOptions({ approvalId }))
}
