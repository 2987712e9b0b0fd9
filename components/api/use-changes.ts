'use client'

import { useEffect } from 'react'
import { useTenantSession } from '#components/session/session-provider.tsx'
import { mayFollow, type Topic } from '#lib/rules/changes.ts'
import { useApi } from './api.tsx'

/**
 * Keeps what the component shows of these topics current: a committed change is on screen within a second. `pollMs` is how
 * often the queries are reloaded while the socket is down. Topics that the person may not follow are skipped.
 */
export function useChanges(topics: readonly Topic[], pollMs: number): void {
  const { live } = useApi()
  const state = useTenantSession()
  const key = state.status === 'ready' ? topics.filter((topic) => mayFollow(topic, state.session.can)).join(' ') : ''
  useEffect(() => {
    if (key === '') return
    return live.want(key.split(' ') as Topic[], pollMs)
  }, [live, key, pollMs])
}
