'use client'

import Link from 'next/link'
import { type ReactNode, useState } from 'react'
import type { Act } from '#components/api/use-act.ts'
import { whoCan } from '#components/navigation/action-link.tsx'
import { adviceFor } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import type { Failure } from '#lib/failure.ts'
import { approvalPath } from '#lib/paths.ts'
import type { Permission } from '#lib/permissions.ts'

type ProposeDialogProps = {
  permission: Permission
  /** The label of both buttons, and the title. */
  label: string
  description: string
  /** Why proposing is currently unavailable; shown on the button. */
  blocked?: string | undefined
  /** The fields that are still missing. */
  missing: string | undefined
  propose: Pick<Act<never, { approvalId: string }>, 'pending' | 'failure' | 'output' | 'reset'>
  onPropose: () => void
  children: ReactNode
}

/** A dialog to propose a change that other people decide; afterwards it links to the request. */
export function ProposeDialog(props: ProposeDialogProps) {
  const { permission, label, description, missing, propose, onPropose, children } = props
  const { tenant, can } = useSession()
  const [open, setOpen] = useState(false)
  const { pending, failure, output, reset } = propose
  const change = (next: boolean) => {
    if (next) reset()
    setOpen(next)
  }
  return (
    <div>
      <Button onClick={() => change(true)} disabledReason={can(permission) ? props.blocked : whoCan(permission)}>
        {label}
      </Button>
      <Dialog
        open={open}
        onOpenChange={change}
        title={label}
        description={description}
        actions={
          output === undefined ? (
            <>
              <Button onClick={() => change(false)} className="self-start">
                Not now
              </Button>
              <Button
                variant="primary"
                onClick={onPropose}
                disabledReason={missing}
                busyLabel={pending ? 'Proposing' : undefined}
              >
                {label}
              </Button>
            </>
          ) : (
            <Button onClick={() => change(false)}>Close</Button>
          )
        }
      >
        {output === undefined ? (
          <div className="flex flex-col gap-4">{children}</div>
        ) : (
          <Banner tone="hold">
            Proposed. The change approvers decide on it.{' '}
            <Link href={approvalPath(tenant, output.approvalId)} prefetch={false} className="text-link">
              Open the request
            </Link>
          </Banner>
        )}
        {failure !== undefined && <Refused failure={failure} />}
      </Dialog>
    </div>
  )
}

function Refused({ failure }: { failure: Failure }) {
  const unknown = failure.code === 'network' || failure.code === 'timeout'
  return (
    <ErrorPanel
      title={unknown ? 'It is unknown whether it was proposed.' : 'It was not proposed.'}
      effect={unknown ? failure.message : `${failure.message} Nothing was changed.`}
      advice={unknown ? 'Close this dialog and check the list before you propose it again.' : adviceFor(failure)}
      requestId={failure.requestId}
    />
  )
}
