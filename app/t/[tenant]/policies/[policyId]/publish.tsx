'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { NotDone } from '#components/forms/not-done.tsx'
import { whoCan } from '#components/navigation/action-link.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/policy/en.ts'
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
      notice(t.versionIsPublished({ version }))
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
          {t.publishVersion({ version })}
        </Button>
      )}
      <Dialog
        open={open}
        onOpenChange={change}
        title={t.confirmPublishVersion({ version })}
        description={t.afterPublishingYouCant}
        actions={
          <>
            <Button onClick={() => change(false)} className="self-start">
              {t.keepDraft}
            </Button>
            <Button
              variant="primary"
              onClick={() => publish.run({ policyId, version })}
              disabledReason={status === 'draft' ? undefined : t.thisVersionIsAlready}
              busyLabel={publish.pending ? t.publishingVersion({ version }) : undefined}
            >
              {t.publishVersion({ version })}
            </Button>
          </>
        }
      >
        {failure && (
          <NotDone
            failure={failure}
            title={t.versionWasNotPublished}
            ifUnknown={t.checkListOfVersions}
            advice={failure.code === 'invalid_policy' ? t.toolsMayHaveChanged : undefined}
          />
        )}
      </Dialog>
    </>
  )
}
