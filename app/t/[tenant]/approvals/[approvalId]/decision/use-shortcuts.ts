'use client'

import { useRouter } from 'next/navigation'
import { useLayoutEffect, useRef } from 'react'
import { flushSync } from 'react-dom'
import { isTyping, singleKeys } from '#components/keyboard/single-keys.ts'
import type { Decision } from '#lib/schemas/approvals.ts'
import type { Neighbours } from '../use-neighbours.ts'
import { isEditable, whyNotChoose } from './decision-view.ts'
import type { DecisionControl } from './use-decision.ts'

const SELECTS: Readonly<Record<string, Decision>> = { a: 'approve', r: 'reject', e: 'escalate' }

/**
 * A, R and E choose a decision, move the focus into the reason, and never send it. J and K open the next and the previous request. Layout effects make a key
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
      if (mayChoose && isEditable(decision.view)) {
        // The key itself must not be typed into the reason.
        event.preventDefault()
        // Below a width of 900 px the reason can be focused only once its sheet is open.
        flushSync(() => {
          decision.edit({ decision: selected })
          decision.sheet.setOpen(true)
        })
        decision.reasonField.current?.focus()
      }
      const target = key === 'j' ? neighbours.next : key === 'k' ? neighbours.previous : undefined
      // The page stays open until the outcome of a decision is known.
      const underWay = decision.view.is === 'submitting' || decision.view.is === 'unknown'
      if (target !== undefined && !underWay) router.push(target)
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [router])
}
