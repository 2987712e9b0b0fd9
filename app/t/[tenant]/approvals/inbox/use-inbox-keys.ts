'use client'

import { useRef } from 'react'
import { type Action, useActions } from '#components/actions/registry.ts'
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

const noneSelected = 'No request is selected.'

/** Moving between the titles (Enter opens one: it is a link), selecting, searching, and deciding about what is selected. */
export function useInboxKeys({ shown, selection, decide }: InboxKeys): void {
  const anchor = useRef<string>(undefined)
  const blocked = selection.requests.length === 0 ? noneSelected : undefined
  const focused = () => {
    const current = document.activeElement?.closest('tr')?.querySelector(`[${rowAttribute}]`)
    return shown.findIndex(({ approvalId }) => approvalId === current?.getAttribute(rowAttribute))
  }
  const select = (upToHere: boolean) => {
    const at = focused()
    const row = shown[at]
    if (row === undefined) return
    const from = upToHere ? shown.findIndex(({ approvalId }) => approvalId === anchor.current) : -1
    const rows = from < 0 ? [row] : shown.slice(Math.min(from, at), Math.max(from, at) + 1)
    selection.set(rows, from >= 0 || !selection.has(row))
    anchor.current = row.approvalId
  }
  const actions: Action[] = [
    {
      title: 'Next request',
      key: 'j',
      keyOnly: true,
      run: () => focusRow(shown[Math.min(focused() + 1, shown.length - 1)]),
    },
    { title: 'Previous request', key: 'k', keyOnly: true, run: () => focusRow(shown[Math.max(focused() - 1, 0)]) },
    { title: 'Select the request', key: 'x', keyOnly: true, run: () => select(false) },
    { title: 'Select all up to this request', key: 'shift+x', keyOnly: true, run: () => select(true) },
    {
      title: 'Search in the requests',
      key: '/',
      run: () => document.querySelector<HTMLInputElement>('input[type="search"]')?.focus(),
    },
    { title: 'Approve the selected requests', key: 'a', blocked, run: () => decide('approve') },
    { title: 'Reject the selected requests', key: 'r', blocked, run: () => decide('reject') },
    { title: 'Clear the selection', key: 'escape', blocked, run: selection.clear },
  ]
  useActions(actions)
}

function focusRow(request: Request | undefined): void {
  const link = request && document.querySelector<HTMLElement>(`[${rowAttribute}="${request.approvalId}"]`)
  link?.focus()
  link?.scrollIntoView({ block: 'nearest' })
}
