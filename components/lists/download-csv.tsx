'use client'

import { useState } from 'react'
import { offerFile } from '#components/page/offer-file.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { toFailure } from '#lib/trpc.ts'

/** Rows in one file. */
const most = 10_000
/** Rows in one answer. */
export const csvPage = 100

type Page<Row> = { items: Row[]; nextCursor: string | null }

type DownloadCsvProps<Row> = {
  /** As in "Loading 200 requests…". */
  noun: string
  fileName: string
  /** The page after `cursor`, or the first one. */
  load: (cursor: string | undefined) => Promise<Page<Row>>
  toText: (rows: readonly Row[]) => string
}

type State = { is: 'idle' } | { is: 'loading'; loaded: number } | { is: 'failed'; why: string } | { is: 'cut' }

/** Saves a list as a file for a spreadsheet, in the order of the list. */
export function DownloadCsv<Row>({ noun, fileName, load, toText }: DownloadCsvProps<Row>) {
  const [state, setState] = useState<State>({ is: 'idle' })

  async function save() {
    const rows: Row[] = []
    let cursor: string | null = null
    do {
      setState({ is: 'loading', loaded: rows.length })
      const page: Page<Row> = await load(cursor ?? undefined)
      rows.push(...page.items)
      cursor = page.nextCursor
    } while (cursor !== null && rows.length < most)
    offerFile(new Blob([toText(rows)], { type: 'text/csv;charset=utf-8' }), fileName)
    setState({ is: cursor === null ? 'idle' : 'cut' })
  }

  return (
    <div className="flex flex-col items-start gap-2">
      <Button
        onClick={() => void save().catch((error: unknown) => setState({ is: 'failed', why: toFailure(error).message }))}
        busyLabel={state.is === 'loading' ? `Loading ${state.loaded} ${noun}s…` : undefined}
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
          The file has the first {most.toLocaleString('en')} {noun}s of the list. The others are left out.
        </Banner>
      )}
    </div>
  )
}
