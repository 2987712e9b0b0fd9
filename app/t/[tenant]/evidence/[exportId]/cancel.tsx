'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ReasonField } from '#components/forms/reason-field.tsx'
import { whyNotReason } from '#components/forms/reason-rule.ts'
import { whoCan } from '#components/navigation/action-link.tsx'
import { adviceFor } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
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
        Cancel the export
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title="Cancel this export?"
        description="No archive will be created, and the collected records are discarded. You can request a new export at any time."
        actions={
          <>
            <Button onClick={() => setOpen(false)} className="self-start">
              Keep exporting
            </Button>
            <Button
              variant="primary"
              onClick={() => cancel.run({ exportId, expectedRevision: revision, reason })}
              disabledReason={whyNotReason(reason)}
              busyLabel={cancel.pending ? 'Canceling the export…' : undefined}
            >
              Cancel the export
            </Button>
          </>
        }
      >
        <ReasonField value={reason} onChange={setReason} locked={cancel.pending} />
        {failure && (
          <ErrorPanel
            title="The export was not canceled."
            effect={failure.message}
            advice={
              failure.code === 'revision_conflict'
                ? 'The export changed in the meantime. Try again.'
                : adviceFor(failure)
            }
            requestId={failure.requestId}
          />
        )}
      </Dialog>
    </>
  )
}
