'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { NotDone } from '#components/forms/not-done.tsx'
import { whoCan } from '#components/navigation/action-link.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import type { PolicyVersion } from '#lib/schemas/policies.ts'

/** Publishes a draft, after which its text can't change. The version decides calls only after a binding to it is approved. */
export function Publish({ version: { policyId, version, status } }: { version: PolicyVersion }) {
  const { can } = useSession()
  const { rest } = useApi()
  const notice = useNotice()
  const [open, setOpen] = useState(false)
  const publish = useAct({
    send: rest.policies.publishVersion,
    touches: ['policies'],
    onDone() {
      setOpen(false)
      notice(`Version ${version} is published.`)
    },
  })
  const change = (next: boolean) => {
    if (publish.pending) return
    if (next) publish.reset()
    setOpen(next)
  }
  const { failure } = publish
  return (
    <>
      {status === 'draft' && (
        <Button
          onClick={() => change(true)}
          disabledReason={can('policy:author') ? undefined : whoCan('policy:author')}
        >
          Publish version {version}
        </Button>
      )}
      <Dialog
        open={open}
        onOpenChange={change}
        title={`Publish version ${version}?`}
        description="After publishing, you can’t change the text of this version; you can only add another version. The version isn’t enforced until a binding to it is proposed and approved."
        actions={
          <>
            <Button onClick={() => change(false)} className="self-start">
              Keep the draft
            </Button>
            <Button
              variant="primary"
              onClick={() => publish.run({ policyId, version })}
              disabledReason={status === 'draft' ? undefined : 'This version is already published.'}
              busyLabel={publish.pending ? `Publishing version ${version}…` : undefined}
            >
              Publish version {version}
            </Button>
          </>
        }
      >
        {failure && (
          <NotDone
            failure={failure}
            title="The version was not published."
            ifUnknown="Check the list of versions before you publish it again."
            advice={
              failure.code === 'invalid_policy'
                ? 'The tools may have changed since the draft was stored. Edit the text as a new version.'
                : undefined
            }
          />
        )}
      </Dialog>
    </>
  )
}
