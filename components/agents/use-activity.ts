'use client'

import { useContext } from 'react'
import { keepPreviousData, useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { useSession } from '#components/session/session-provider.tsx'
import { TimeZoneContext } from '#components/ui/text/time.tsx'
import { limits } from '#lib/limits.ts'
import { useTRPC } from '#lib/trpc.ts'

const refreshMs = 10_000
/** More ids would make the address too long. */
const mostInAddress = 20

/** What these agents did in the last two weeks. */
export function useActivity(agentIds: readonly string[]) {
  const trpc = useTRPC()
  const { can } = useSession()
  const timeZone = useContext(TimeZoneContext)
  useChanges(['executions', 'approvals'], refreshMs)
  return useQuery(
    trpc.agents.activity.queryOptions(
      { agentIds: agentIds.slice(0, limits.pageRows), timeZone },
      {
        enabled: can('execution:read') && agentIds.length > 0,
        placeholderData: keepPreviousData,
        trpc: { context: { posted: agentIds.length > mostInAddress } },
      },
    ),
  )
}
