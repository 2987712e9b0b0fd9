'use client'

import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { useTenantSession } from '#components/session/session-provider.tsx'
import type { Answers } from '#lib/trpc.ts'
import { useTRPC } from '#lib/trpc.ts'

/** One more than the largest number shown; more is "99+". */
const limit = 100
/** Polling interval while the socket is down, in milliseconds. */
const refreshMs = 20_000

export type ApprovalSummaries = Answers['approvals']['getPending']['items']

/** Loads the approvals that this person can decide now, at most 100, newest first. Rail, home and approval page share the query. */
export function useNeedsMe() {
  const trpc = useTRPC()
  const state = useTenantSession()
  const enabled = state.status === 'ready' && state.session.can('approval:list') && state.session.can('approval:decide')
  useChanges(enabled ? ['approvals'] : [], refreshMs)
  return useQuery(trpc.approvals.getPending.queryOptions({ view: 'needs-me', limit }, { enabled }))
}
