'use client'

import { useRouter } from 'next/navigation'
import { useLayoutEffect, useRef } from 'react'
import { createPreference } from '#components/layout/preference.ts'
import type { Decision } from '#lib/schemas/approvals.ts'
import { isEditable, whyNotChoose } from './decision-view.ts'
import type { DecisionControl } from './use-decision.ts'
import type { Neighbours } from './use-neighbours.ts'

/** Shortcuts without a modifier key can interfere with speech input, so they can be turned off (WCAG 2.1.4). */
const singleKeys = createPreference<'on' | 'off'>({
  key: 'countersign-single-keys',
  fallback: 'on',
  isValue: (text): text is 'on' | 'off' => text === 'on' || text === 'off',
})
export const useSingleKeys = singleKeys.use

const SELECTS: Readonly<Record<string, Decision>> = { a: 'approve', r: 'reject', e: 'escalate' }

/**
 * A, R and E choose a decision but never send it. J and K open the next and the previous request. Layout effects make a key
 * effective as soon as the page shows its control.
 */
export function useShortcuts(decision: DecisionControl, neighbours: Neighbours): void {
  const router = useRouter()
  const latest = useRef({ decision, neighbours })
  useLayoutEffect(() => {
    latest.current = { decision, neighbours }
  })
  useLayoutEffect(() => {
    function press(event: KeyboardEvent) {
      if (singleKeys.get() === 'off' || event.defaultPrevented || isTyping(event)) return
      const { decision, neighbours } = latest.current
      const key = event.key.toLowerCase()
      const selected = SELECTS[key]
      const mayChoose = selected !== undefined && whyNotChoose(decision.machine, selected) === undefined
      if (mayChoose && isEditable(decision.view)) decision.edit({ decision: selected })
      const target = key === 'j' ? neighbours.next : key === 'k' ? neighbours.previous : undefined
      // The page stays open until the outcome of a decision is known.
      const underWay = decision.view.is === 'submitting' || decision.view.is === 'unknown'
      if (target !== undefined && !underWay) router.push(target)
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [router])
}

/** Whether the keystroke is text input. Radio buttons and checkboxes don't accept letters, so shortcuts work there. */
function isTyping({ target, ctrlKey, metaKey, altKey, isComposing }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || isComposing) return true
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return target.type !== 'radio' && target.type !== 'checkbox'
  return target.isContentEditable || target.closest('textarea, select, [role="menu"], [role="dialog"]') !== null
}
