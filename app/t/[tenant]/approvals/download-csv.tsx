'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import type { ApprovalSummaries } from '#components/approvals/waiting.ts'
import { offerFile } from '#components/page/offer-file.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { toFailure } from '#lib/trpc.ts'
import { decidedCsv } from './decided-csv.ts'

/** Requests in one file. */
const most = 10_000
const limit = 100

type State = { is: 'idle' } | { is: 'loading'; loaded: number } | { is: 'failed'; why: string } | { is: 'cut' }

/** Saves the decided list, newest first, as a file for a spreadsheet. */
export function DownloadCsv() {
  const { client } = useApi()
  const [state, setState] = useState<State>({ is: 'idle' })

  async function save() {
    const rows: ApprovalSummaries[number][] = []
    let cursor: string | null = null
    do {
      setState({ is: 'loading', loaded: rows.length })
      const input = { view: 'decided', limit, ...(cursor === null ? {} : { cursor }) } as const
      const page: { items: typeof rows; nextCursor: string | null } = await client.approvals.list.query(input)
      rows.push(...page.items)
      cursor = page.nextCursor
    } while (cursor !== null && rows.length < most)
    offerFile(new Blob([decidedCsv(rows)], { type: 'text/csv;charset=utf-8' }), 'approvals-decided.csv')
    setState({ is: cursor === null ? 'idle' : 'cut' })
  }

  return (
    <div className="flex flex-col items-start gap-2">
      <Button
        onClick={() => void save().catch((error: unknown) => setState({ is: 'failed', why: toFailure(error).message }))}
        busyLabel={state.is === 'loading' ? `Loading ${state.loaded} requests…` : undefined}
      >
        Download CSV
      </Button>
      {state.is === 'failed' && (
        <Banner tone="danger" urgency="alert">
          The file could not be made. {state.why}
        </Banner>
      )}
      {state.is === 'cut' && (
        <Banner tone="warn" urgency="status">
          The file has the newest {most.toLocaleString('en')} requests. Older ones are left out.
        </Banner>
      )}
    </div>
  )
}
