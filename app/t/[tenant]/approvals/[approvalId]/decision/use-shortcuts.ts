'use client'

import { useRouter } from 'next/navigation'
import { useTransition } from 'react'
import { flushSync } from 'react-dom'
import { type Action, useActions } from '#components/actions/registry.ts'
import * as t from '#components/texts/approval-decision/en.ts'
import type { Decision } from '#lib/schemas/approvals.ts'
import type { Neighbours } from '../use-neighbours.ts'
import { isEditable, whyNotChoose } from './decision-view.ts'
import type { DecisionControl } from './use-decision.ts'

/** The same in every language, as the keys of the inbox are. */
export const shortcuts: Record<Decision, string> = { approve: 'a', reject: 'r', escalate: 'e' }

/**
 * Choosing a decision, which moves the focus into the reason and never sends it; and the next and the previous request, while no
 * decision is under way.
 */
export function useShortcuts(decision: DecisionControl, neighbours: Neighbours): void {
  const router = useRouter()
  // Until the other request is shown, keys must not decide this one.
  const [leaving, leave] = useTransition()
  const { view, machine } = decision
  const choose = (selected: Decision, title: string): Action => ({
    title,
    key: shortcuts[selected],
    blocked: leaving
      ? t.anotherIsBeingOpened
      : (whyNotChoose(machine, selected) ?? (isEditable(view) ? undefined : decision.whyNot)),
    run() {
      // Below a width of 900 px the reason can be focused only once its sheet is open.
      flushSync(() => {
        decision.edit({ decision: selected })
        decision.sheet.setOpen(true)
      })
      decision.reasonField.current?.focus()
    },
  })
  // The page stays open until the outcome of a decision is known.
  const isSending = view.is === 'submitting' || view.is === 'unknown'
  const underWay = isSending ? t.decisionIsBeingSent : leaving ? t.anotherIsBeingOpened : undefined
  const go = (title: string, key: string, target: string | undefined): Action => ({
    title,
    key,
    blocked: underWay ?? (target === undefined ? t.thereIsNone : undefined),
    run: () => target !== undefined && leave(() => router.push(target)),
  })
  useActions([
    choose('approve', t.approveThisRequest),
    choose('reject', t.rejectThisRequest),
    choose('escalate', t.escalateThisRequest),
    go(t.openNextRequest, 'j', neighbours.next),
    go(t.openPreviousRequest, 'k', neighbours.previous),
  ])
}
