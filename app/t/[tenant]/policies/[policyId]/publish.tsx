'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { whoCan } from '#components/navigation/action-link.tsx'
import { adviceFor } from '#components/session/request-failed.tsx'
import { useApi, useSession } from '#components/session/session-provider.tsx'
import { Button } from '#components/ui/button.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { ErrorPanel } from '#components/ui/error-panel.tsx'
import { useNotice } from '#components/ui/live-notice.tsx'
import type { PolicyVersion } from '#lib/schemas/policies.ts'
import { toFailure } from '#lib/trpc.ts'

/** draft → published, after which the text never changes. It decides nothing until a binding of it is approved. */
export function Publish({ version: { policyId, version, status } }: { version: PolicyVersion }) {
  const { can } = useSession()
  const { restFetch } = useApi()
  const cache = useQueryClient()
  const notice = useNotice()
  const [open, setOpen] = useState(false)
  const publish = useMutation({
    mutationFn: () =>
      restFetch<PolicyVersion>(`/v1/policies/${policyId}/versions/${version}/publish`, { method: 'POST', body: {} }),
    onSuccess() {
      setOpen(false)
      notice(`Version ${version} is published.`)
    },
    onSettled: () => cache.invalidateQueries({ queryKey: [['policies']] }),
  })
  const change = (next: boolean) => {
    if (publish.isPending) return
    if (next) publish.reset()
    setOpen(next)
  }
  const failure = publish.error === null ? undefined : toFailure(publish.error)
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
        description="Its text can’t be changed any more; a change is another version. It decides nothing until a binding of it is proposed and approved."
        actions={
          <>
            <Button onClick={() => change(false)} className="self-start">
              Keep it a draft
            </Button>
            <Button
              variant="primary"
              onClick={() => publish.mutate()}
              disabledReason={status === 'draft' ? undefined : 'It is published.'}
              busyLabel={publish.isPending ? `Publishing version ${version}` : undefined}
            >
              Publish version {version}
            </Button>
          </>
        }
      >
        {failure && (
          <ErrorPanel
            title={
              failure.code === 'network' || failure.code === 'timeout'
                ? 'We do not know whether it was published.'
                : 'It was not published.'
            }
            effect={failure.message}
            advice={
              failure.code === 'invalid_policy'
                ? 'The tools may have changed since the draft was stored: edit it as a new version.'
                : adviceFor(failure)
            }
            requestId={failure.requestId}
          />
        )}
      </Dialog>
    </>
  )
}
