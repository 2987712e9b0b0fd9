'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { formatBytes } from '#components/language/formats.ts'
import { forSpreadsheet } from '#components/page/for-spreadsheet.ts'
import { type FileType, type SavedHow, saveFile } from '#components/page/save-file.ts'
import { failureText } from '#components/session/failure-text.ts'
import * as t from '#components/texts/audit/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import type { InProgress } from '#components/ui/text/in-progress.ts'
import { failureFromBody, RequestError } from '#lib/failure.ts'
import { auditFilePath } from '#lib/paths.ts'
import { toFailure } from '#lib/trpc.ts'
import { type AuditFilter, inputOf } from './filter.ts'

type Format = 'csv' | 'ndjson'

const names: Record<Format, string> = { csv: 'CSV', ndjson: 'NDJSON' }
const types: Record<Format, FileType> = {
  csv: { description: 'CSV', accept: { 'text/csv': ['.csv'] } },
  ndjson: { description: 'NDJSON', accept: { 'application/x-ndjson': ['.ndjson'] } },
}

type State =
  | { is: 'idle' }
  | { is: 'saving'; format: Format; received: number }
  | { is: 'saved'; how: SavedHow }
  | { is: 'failed'; why: string }

/** Saves every record that the filters match, with its sentence, for a spreadsheet or for another program. The server writes the file. */
export function SaveList({ filter, empty }: { filter: AuditFilter; empty: boolean }) {
  const { fetchApi } = useApi()
  const [state, setState] = useState<State>({ is: 'idle' })

  async function save(format: Format) {
    const file = { name: `audit-records.${format}`, type: types[format] }
    setState({ is: 'saving', format, received: 0 })
    try {
      const request = async () => {
        const response = await fetchApi(auditFilePath({ ...inputOf(filter), format }))
        if (response.ok) return format === 'csv' ? forSpreadsheet(response) : response
        throw new RequestError(failureFromBody(await response.json().catch(() => undefined), response))
      }
      const how = await saveFile(request, file, (received) => setState({ is: 'saving', format, received }))
      setState(how === undefined ? { is: 'idle' } : { is: 'saved', how })
    } catch (error) {
      const why = error instanceof RequestError ? failureText(toFailure(error)) : t.downloadWasInterrupted
      setState({ is: 'failed', why })
    }
  }

  const busy = (format: Format): InProgress | undefined =>
    state.is === 'saving' && state.format === format
      ? t.savingSoFar({ received: formatBytes(state.received) })
      : undefined
  return (
    <div className="flex flex-col items-end gap-2">
      <div className="flex flex-wrap items-start gap-3">
        {(['csv', 'ndjson'] as const).map((format) => (
          <Button
            key={format}
            onClick={() => void save(format)}
            busyLabel={busy(format)}
            disabledReason={
              empty
                ? t.noRecordsMatch
                : state.is === 'saving' && state.format !== format
                  ? t.anotherFileIsBeing
                  : undefined
            }
          >
            {t.download({ format: names[format] })}
          </Button>
        ))}
      </div>
      <p role="status" className="text-ink-2">
        {state.is === 'saved' && (state.how === 'streamed' ? t.saved : t.fileIsInYour)}
      </p>
      {state.is === 'failed' && (
        <Banner tone="danger" urgency="alert">
          {t.fileWasNotSaved({ why: state.why })}
        </Banner>
      )}
    </div>
  )
}
