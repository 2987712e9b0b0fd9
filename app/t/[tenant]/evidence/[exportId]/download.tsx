'use client'

import { useState } from 'react'
import { formatBytes } from '#components/language/formats.ts'
import { type SavedHow, saveFile } from '#components/page/save-file.ts'
import { failureText } from '#components/session/failure-text.ts'
import { adviceFor } from '#components/session/request-failed.tsx'
import * as t from '#components/texts/evidence-export/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { type Failure, failureOf, RequestError } from '#lib/failure.ts'
import type { ExportJob } from '#lib/schemas/evidence.ts'
import { toFailure } from '#lib/trpc.ts'
import { useArchive } from './use-archive.ts'

type State =
  | { is: 'idle' }
  | { is: 'saving'; received: number }
  | { is: 'saved'; how: SavedHow }
  | { is: 'failed'; failure: Failure }

const zip = { description: t.zipArchive, accept: { 'application/zip': ['.zip'] } }

/** Saves the archive to disk. The server records each download. */
export function Download({ job }: { job: ExportJob }) {
  const { name, blocked, fetchArchive } = useArchive(job)
  const [state, setState] = useState<State>({ is: 'idle' })
  const { archiveBytes } = job

  async function save() {
    setState({ is: 'saving', received: 0 })
    try {
      const how = await saveFile(
        () => fetchArchive(),
        { name, type: zip, continueFrom: (from) => fetchArchive(undefined, from) },
        (received) => setState({ is: 'saving', received }),
      )
      setState(how === undefined ? { is: 'idle' } : { is: 'saved', how })
    } catch (error) {
      const failure = error instanceof RequestError ? toFailure(error) : failureOf('network', t.downloadWasInterrupted)
      setState({ is: 'failed', failure })
    }
  }

  const size = archiveBytes === null ? '' : ` (${formatBytes(archiveBytes)})`
  return (
    <div className="flex flex-col items-start gap-2">
      <Button
        variant="primary"
        onClick={() => void save()}
        disabledReason={blocked}
        busyLabel={state.is === 'saving' ? t.savingSoFar({ received: formatBytes(state.received) }) : undefined}
      >
        {t.downloadArchive({ size })}
      </Button>
      <p role="status" className="text-ink-2">
        {state.is === 'saved' && (state.how === 'streamed' ? t.saved : t.isInYourBrowsers({ name }))}
        {state.is === 'saved' && t.downloadIsRecordedIn}
      </p>
      {state.is === 'failed' && (
        <ErrorPanel
          title={t.archiveWasNotSaved}
          effect={t.ifPartOfFile({ message: failureText(state.failure) })}
          advice={adviceFor(state.failure)}
          requestId={state.failure.requestId}
        />
      )}
    </div>
  )
}
