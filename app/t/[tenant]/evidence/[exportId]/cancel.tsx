'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { whoCan } from '#components/navigation/action-link.tsx'
import { adviceFor } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { TextArea } from '#components/ui/controls/text-field.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { limits } from '#lib/limits.ts'
import type { ExportJob } from '#lib/schemas/evidence.ts'

/** Stops an export that is still being made, with a reason for the record. */
export function Cancel({ job: { exportId, revision } }: { job: ExportJob }) {
  const { can } = useSession()
  const { rest } = useApi()
  const [open, setOpen] = useState(false)
  const [reason, setReason] = useState('')
  // It may have gone on in the meantime: what is on the page then is what the next try is about.
  const cancel = useAct({ send: rest.evidence.cancel, touches: ['evidence'] })
  const { failure } = cancel
  const length = reason.trim().length
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
        description="No archive is made, and what was collected is thrown away. A new export can be asked for at any time."
        actions={
          <>
            <Button onClick={() => setOpen(false)} className="self-start">
              Let it go on
            </Button>
            <Button
              variant="primary"
              onClick={() => cancel.run({ exportId, expectedRevision: revision, reason })}
              disabledReason={
                length === 0 ? 'Give a reason.' : length > limits.reason ? 'The reason is too long.' : undefined
              }
              busyLabel={cancel.pending ? 'Canceling the export' : undefined}
            >
              Cancel the export
            </Button>
          </>
        }
      >
        <TextArea
          label="Reason"
          hint="Required, kept in the audit record"
          limit={limits.reason}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        {failure && (
          <ErrorPanel
            title="The export was not canceled."
            effect={failure.message}
            advice={failure.code === 'revision_conflict' ? 'It has moved on meanwhile: try again.' : adviceFor(failure)}
            requestId={failure.requestId}
          />
        )}
      </Dialog>
    </>
  )
}
