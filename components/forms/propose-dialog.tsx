'use client'

import Link from 'next/link'
import { type ReactNode, useState } from 'react'
import type { Act } from '#components/api/use-act.ts'
import { whoCan } from '#components/navigation/action-link.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/proposals/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { approvalPath } from '#lib/paths.ts'
import type { Permission } from '#lib/permissions.ts'
import { NotDone } from './not-done.tsx'
import { useStanding } from './use-standing.ts'

type ProposeDialogProps = {
  permission: Permission
  /** The label of both buttons, and the title. */
  label: string
  description: string
  /** Who decides, with a verb. */
  decides?: string
  /** Why proposing is currently unavailable; shown on the button. */
  blocked?: string | undefined
  /** The fields that are still missing. */
  missing: string | undefined
  propose: Pick<Act<never, { approvalId: string }>, 'pending' | 'failure' | 'output' | 'reset'>
  onPropose: () => void
  onOpen?: () => void
  children: ReactNode
}

/** A dialog to propose a change that other people decide; afterwards it links to the request. */
export function ProposeDialog(props: ProposeDialogProps) {
  const { permission, label, description, missing, propose, onPropose, children } = props
  const { decides = t.approversDecide } = props
  const { tenant, can } = useSession()
  const [open, setOpen] = useState(false)
  const { pending, output, reset } = propose
  const [failure, withdraw] = useStanding(propose.failure)
  const change = (next: boolean) => {
    // The dialog stays open during a call, so that its outcome is shown.
    if (pending) return
    if (next) {
      reset()
      props.onOpen?.()
    }
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
                {t.notNow}
              </Button>
              <Button
                variant="primary"
                onClick={onPropose}
                disabledReason={missing}
                busyLabel={pending ? t.proposing : undefined}
              >
                {label}
              </Button>
            </>
          ) : (
            <Button onClick={() => change(false)}>{t.close}</Button>
          )
        }
      >
        {output === undefined ? (
          <div className="flex flex-col gap-4" onInput={withdraw}>
            {children}
          </div>
        ) : (
          <Banner tone="hold">
            {t.proposed({
              decides,
              link: (content) => (
                <Link href={approvalPath(tenant, output.approvalId)} prefetch={false} className="text-link">
                  {content}
                </Link>
              ),
            })}
          </Banner>
        )}
        {failure !== undefined && <NotDone failure={failure} title={t.notProposed} ifUnknown={t.proposedUnknown} />}
      </Dialog>
    </div>
  )
}
