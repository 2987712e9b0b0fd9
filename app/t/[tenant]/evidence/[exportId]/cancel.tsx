'use client'

import { useApi } from '#components/api/api.tsx'
import { ReasonPrompt } from '#components/forms/reason-dialog.tsx'
import * as t from '#components/texts/evidence-export/en.ts'
import type { ExportJob } from '#lib/schemas/evidence.ts'

type CancelProps = {
  job: ExportJob
  /** It has ended: nothing can be canceled any more. */
  over: boolean
  open: boolean
  onOpenChange: (open: boolean) => void
}

/** Cancels an export in progress, with a reason for the audit record. */
export function Cancel({ job: { exportId, revision }, ...dialog }: CancelProps) {
  const { rest } = useApi()
  return (
    <ReasonPrompt
      {...dialog}
      label={t.cancelExport}
      busyLabel={t.cancelingExport}
      keepLabel={t.keepExporting}
      title={t.cancelThisExport}
      consequence={t.noArchiveWillBe}
      act={(reason, options) => rest.evidence.cancel({ exportId, expectedRevision: revision, reason }, options)}
      touches={['evidence']}
      done={t.exportIsCanceled}
      notDone={t.exportWasNotCanceled}
    />
  )
}
