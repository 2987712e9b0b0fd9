'use client'

import type { Dispatch } from 'react'
import { useStoredText } from '#components/session/use-stored-text.ts'
import type { Decision } from '#lib/schemas/approvals.ts'
import { type Draft, type Event, isTouched, type Machine } from './decision-state.ts'

const decisions: readonly Decision[] = ['approve', 'reject', 'escalate']

/** Keeps the draft per person, tenant and request. It is removed once the decision is recorded or the request is over. */
export function useDraftStorage(key: string, { draft, phase, shown }: Machine, dispatch: Dispatch<Event>): void {
  const over = phase.is === 'recorded' || (shown !== undefined && shown.status !== 'pending')
  const { decision, reason } = draft
  const touched = !over && isTouched({ decision, reason, acknowledged: false })
  useStoredText(`draft.${key}`, touched ? JSON.stringify({ decision, reason }) : undefined, (stored) => {
    const found = stored === undefined ? undefined : parseDraft(stored)
    if (found !== undefined) dispatch({ type: 'restored', draft: found })
  })
}

function parseDraft(text: string): Pick<Draft, 'decision' | 'reason'> | undefined {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || !('reason' in value) || typeof value.reason !== 'string')
    return undefined
  const stored = 'decision' in value ? value.decision : undefined
  return { decision: decisions.find((decision) => decision === stored), reason: value.reason }
}
