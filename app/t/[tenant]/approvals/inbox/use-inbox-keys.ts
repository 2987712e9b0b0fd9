'use client'

import { useRowKeys } from '#components/lists/use-row-keys.ts'
import type { Selection } from '#components/lists/use-selection.ts'
import type { BulkDecision } from './bulk.ts'
import { idOf, type Request } from './filter.ts'

type InboxKeys = {
  /** In the order of the rows. */
  shown: readonly Request[]
  selection: Selection<Request>
  decide: (decision: BulkDecision) => void
}

/** Moving between requests, selecting, searching, and deciding about what is selected. */
export function useInboxKeys({ shown, selection, decide }: InboxKeys): void {
  const blocked = selection.rows.length === 0 ? 'No request is selected.' : undefined
  useRowKeys({
    list: 'approvals',
    shown,
    idOf,
    selection,
    actions: [
      { title: 'Approve the selected requests', key: 'a', blocked, run: () => decide('approve') },
      { title: 'Reject the selected requests', key: 'r', blocked, run: () => decide('reject') },
    ],
  })
}
