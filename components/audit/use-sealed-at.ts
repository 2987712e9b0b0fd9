'use client'

import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { useTenantSession } from '#components/session/session-provider.tsx'
import { useTRPC } from '#lib/trpc.ts'

const refreshMs = 30_000

/** When today's log was last signed: null before the first time, undefined until it is known. Rail and home share the query. */
export function useSealedAt(): string | null | undefined {
  const trpc = useTRPC()
  const enabled = useTenantSession().status === 'ready'
  useChanges(enabled ? ['seals'] : [], refreshMs)
  return useQuery(trpc.audit.checkpoint.queryOptions({}, { enabled, staleTime: refreshMs })).data?.createdAt
}
