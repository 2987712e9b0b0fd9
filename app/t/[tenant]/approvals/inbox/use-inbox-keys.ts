'use client'

import { useLayoutEffect, useRef } from 'react'
import { isTyping, singleKeys } from '#components/keyboard/single-keys.ts'
import type { BulkDecision } from './bulk.ts'
import type { Request } from './filter.ts'
import type { Selection } from './use-selection.ts'

type InboxKeys = {
  /** In the order of the rows. */
  shown: readonly Request[]
  selection: Selection
  decide: (decision: BulkDecision) => void
}

/** The attribute of the link in a row, whose value is the request's id. */
export const rowAttribute = 'data-request'

/**
 * J and K move the focus between the titles, Enter opens one (it is a link), X selects it, Shift and X the rows up to there,
 * / moves the focus into the search, A and R open the decision about the selected requests, and Escape clears the selection.
 */
export function useInboxKeys(keys: InboxKeys): void {
  const latest = useRef(keys)
  const anchor = useRef<string>(undefined)
  useLayoutEffect(() => {
    latest.current = keys
  })
  useLayoutEffect(() => {
    function press(event: KeyboardEvent) {
      if (singleKeys.get() === 'off' || event.defaultPrevented || isTyping(event)) return
      const { shown, selection, decide } = latest.current
      const current = document.activeElement?.closest('tr')?.querySelector(`[${rowAttribute}]`)
      const at = shown.findIndex(({ approvalId }) => approvalId === current?.getAttribute(rowAttribute))
      const row = shown[at]
      switch (event.key.toLowerCase()) {
        case 'j':
          return focusRow(shown[Math.min(at + 1, shown.length - 1)])
        case 'k':
          return focusRow(shown[Math.max(at - 1, 0)])
        case 'x': {
          if (row === undefined) return
          const from = event.shiftKey ? shown.findIndex(({ approvalId }) => approvalId === anchor.current) : -1
          const rows = from < 0 ? [row] : shown.slice(Math.min(from, at), Math.max(from, at) + 1)
          selection.set(rows, from >= 0 || !selection.has(row))
          anchor.current = row.approvalId
          return
        }
        case '/':
          event.preventDefault()
          document.querySelector<HTMLInputElement>('input[type="search"]')?.focus()
          return
        case 'a':
        case 'r':
          if (selection.requests.length === 0) return
          event.preventDefault()
          return decide(event.key.toLowerCase() === 'a' ? 'approve' : 'reject')
        case 'escape':
          selection.clear()
      }
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}

function focusRow(request: Request | undefined): void {
  const link = request && document.querySelector<HTMLElement>(`[${rowAttribute}="${request.approvalId}"]`)
  link?.focus()
  link?.scrollIntoView({ block: 'nearest' })
}
