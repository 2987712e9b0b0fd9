'use client'

import { type Dispatch, useEffect, useState } from 'react'
import { sessionVault } from '#components/session/session.ts'
import type { Decision } from '#lib/schemas/approvals.ts'
import { type Draft, type Event, isTouched, type Machine } from './decision-state.ts'

const quietMs = 200
const decisions: readonly Decision[] = ['approve', 'reject', 'escalate']

/**
 * Keeps the draft across a reload and a new sign-in, encrypted in this browser, per person, tenant and request. It is removed
 * once the decision is recorded or the request is over. Signing out removes all drafts.
 */
export function useDraftStorage(key: string, { draft, phase, shown }: Machine, dispatch: Dispatch<Event>): void {
  const name = `draft.${key}`
  const [restored, setRestored] = useState(false)
  useEffect(() => {
    let gone = false
    void sessionVault.get(name).then((text) => {
      if (gone) return
      const stored = text === undefined ? undefined : parseDraft(text)
      if (stored !== undefined) dispatch({ type: 'restored', draft: stored })
      setRestored(true)
    })
    return () => {
      gone = true
    }
  }, [name, dispatch])

  const over = phase.is === 'recorded' || (shown !== undefined && shown.status !== 'pending')
  const { decision, reason } = draft
  useEffect(() => {
    if (!restored) return
    if (over) return void sessionVault.remove(name)
    const timer = setTimeout(() => {
      const touched = isTouched({ decision, reason, acknowledged: false })
      void (touched ? sessionVault.set(name, JSON.stringify({ decision, reason })) : sessionVault.remove(name))
    }, quietMs)
    return () => clearTimeout(timer)
  }, [restored, over, name, decision, reason])
}

function parseDraft(text: string): Pick<Draft, 'decision' | 'reason'> | undefined {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || !('reason' in value) || typeof value.reason !== 'string')
    return undefined
  const stored = 'decision' in value ? value.decision : undefined
  return { decision: decisions.find((decision) => decision === stored), reason: value.reason }
}
