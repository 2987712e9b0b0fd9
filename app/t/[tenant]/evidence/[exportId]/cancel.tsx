'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ReasonField } from '#components/forms/reason-field.tsx'
import { whyNotReason } from '#components/forms/reason-rule.ts'
import { whoCan } from '#components/navigation/action-link.tsx'
import { failureText } from '#components/session/failure-text.ts'
import { adviceFor } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/evidence-export/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import type { ExportJob } from '#lib/schemas/evidence.ts'

/** Cancels an export in progress, with a reason for the audit record. */
export function Cancel({ job: { exportId, revision } }: { job: ExportJob }) {
  const { can } = useSession()
  const { rest } = useApi()
  const [open, setOpen] = useState(false)
  const [reason, setReason] = useState('')
  // After a revision conflict, the next attempt uses the state that the page shows by then.
  const cancel = useAct({ send: rest.evidence.cancel, touches: ['evidence'] })
  const { failure } = cancel
  return (
    <>
      <Button
        onClick={() => setOpen(true)}
        disabledReason={can('evidence:export') ? undefined : whoCan('evidence:export')}
      >
        {t.cancelExport}
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title={t.cancelThisExport}
        description={t.noArchiveWillBe}
        actions={
          <>
            <Button onClick={() => setOpen(false)} className="self-start">
              {t.keepExporting}
            </Button>
            <Button
              variant="primary"
              onClick={() => cancel.run({ exportId, expectedRevision: revision, reason })}
              disabledReason={whyNotReason(reason)}
              busyLabel={cancel.pending ? t.cancelingExport : undefined}
            >
              {t.cancelExport}
            </Button>
          </>
        }
      >
        <ReasonField value={reason} onChange={setReason} locked={cancel.pending} />
        {failure && (
          <ErrorPanel
            title={t.exportWasNotCanceled}
            effect={failureText(failure)}
            advice={failure.code === 'revision_conflict' ? t.exportChangedInMeantime : adviceFor(failure)}
            requestId={failure.requestId}
          />
        )}
      </Dialog>
    </>
  )
}
