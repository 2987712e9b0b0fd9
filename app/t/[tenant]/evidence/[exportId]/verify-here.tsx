'use client'

import { formatBytes } from '#components/language/formats.ts'
import { failureText } from '#components/session/failure-text.ts'
import { adviceFor } from '#components/session/request-failed.tsx'
import * as t from '#components/texts/evidence-export/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { loadedLater } from '#components/ui/feedback/loaded-later.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import type { Report } from '#lib/verify/report.ts'
import type { LoadedArchive } from './use-loaded-archive.ts'

// Loaded when an archive is verified: the verifier's pages and words, and what changes a copy.
const Verified = loadedLater(() => import('./verified.tsx').then((module) => module.Verified), {
  waiting: <Skeleton label={t.loadingVerifier} rows={5} />,
})

type VerifyHereProps = { loaded: LoadedArchive; onReport: (report: Report) => void }

/** Downloads the archive into this browser and verifies it here, with the verifier that is in every archive. */
export function VerifyHere({ loaded: { state, name, blocked, load }, onReport }: VerifyHereProps) {
  return (
    <div className="flex flex-col gap-3">
      <p className="max-w-[75ch] text-ink-2">{t.thisBrowserDownloadsArchive}</p>
      {state.is !== 'loaded' && (
        <div>
          <Button
            onClick={() => void load()}
            disabledReason={blocked}
            busyLabel={
              state.is === 'loading' ? t.downloadingSoFar({ received: formatBytes(state.received) }) : undefined
            }
          >
            {t.verifyArchiveHere}
          </Button>
        </div>
      )}
      {state.is === 'failed' && (
        <ErrorPanel
          title={t.theArchiveCould}
          effect={t.thisDoesntMeanThat({ message: failureText(state.failure) })}
          advice={adviceFor(state.failure)}
          requestId={state.failure.requestId}
        />
      )}
      {state.is === 'loaded' && <Verified archive={state.archive} name={name} onReport={onReport} />}
    </div>
  )
}
