'use client'

import { useRowKeys } from '#components/lists/use-row-keys.ts'
import type { Selection } from '#components/lists/use-selection.ts'
import * as t from '#components/texts/approvals/en.ts'
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
  const blocked = selection.rows.length === 0 ? t.noRequestIsSelected : undefined
  useRowKeys({
    list: 'approvals',
    shown,
    idOf,
    selection,
    actions: [
      { title: t.approveSelectedRequests, key: 'a', blocked, run: () => decide('approve') },
      { title: t.rejectSelectedRequests, key: 'r', blocked, run: () => decide('reject') },
    ],
  })
}
