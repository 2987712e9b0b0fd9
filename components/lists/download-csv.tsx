'use client'

import { useState } from 'react'
import { formatNumber } from '#components/language/formats.ts'
import { byteOrderMark } from '#components/page/for-spreadsheet.ts'
import { offerFile } from '#components/page/offer-file.ts'
import { failureText } from '#components/session/failure-text.ts'
import * as t from '#components/texts/downloads/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import type { InProgress } from '#components/ui/text/in-progress.ts'
import { toFailure } from '#lib/trpc.ts'

/** Rows in one file. */
const most = 10_000
/** Rows in one answer. */
export const csvPage = 100

type Page<Row> = { items: Row[]; nextCursor: string | null }

type DownloadCsvProps<Row> = {
  list: 'approvals' | 'executions'
  fileName: string
  /** The page after `cursor`, or the first one. */
  load: (cursor: string | undefined) => Promise<Page<Row>>
  toText: (rows: readonly Row[]) => string
}

type State = { is: 'idle' } | { is: 'loading'; loaded: number } | { is: 'failed'; why: string } | { is: 'cut' }

/** Saves a list as a file for a spreadsheet, in the order of the list. */
export function DownloadCsv<Row>({ list, fileName, load, toText }: DownloadCsvProps<Row>) {
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
    offerFile(new Blob([byteOrderMark, toText(rows)], { type: 'text/csv;charset=utf-8' }), fileName)
    setState({ is: cursor === null ? 'idle' : 'cut' })
  }

  return (
    <div className="flex flex-col items-start gap-2">
      <Button
        onClick={() =>
          void save().catch((error: unknown) => setState({ is: 'failed', why: failureText(toFailure(error)) }))
        }
        busyLabel={
          state.is === 'loading' ? (t.loadingRows({ list, count: String(state.loaded) }) as InProgress) : undefined
        }
      >
        {t.downloadCsv}
      </Button>
      {state.is === 'failed' && (
        <Banner tone="danger" urgency="alert">
          {t.fileFailed({ problem: state.why })}
        </Banner>
      )}
      {state.is === 'cut' && (
        <Banner tone="warn" urgency="status">
          {t.fileCut({ list, most: formatNumber(most) })}
        </Banner>
      )}
    </div>
  )
}
