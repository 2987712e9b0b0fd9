'use client'

import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { useTenantSession } from '#components/session/session-provider.tsx'
import { useTRPC } from '#lib/trpc.ts'

/** One more than the largest number shown; more is "99+". */
const limit = 100
/** Polling interval while the socket is down, in milliseconds. */
const refreshMs = 30_000

/** Loads the open alarms of the tenant, newest first. Rail and pages share the query. */
export function useOpenAlarms() {
  const trpc = useTRPC()
  const state = useTenantSession()
  const enabled = state.status === 'ready' && state.session.can('audit:read')
  useChanges(enabled ? ['alarms'] : [], refreshMs)
  return useQuery(trpc.alarms.list.queryOptions({ status: 'open', limit }, { enabled }))
}
