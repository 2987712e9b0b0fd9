'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/access-members/en.ts'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { resetNeedsApproval } from '#lib/rules/members.ts'
import type { Member } from '#lib/schemas/members.ts'
import type { Answers } from '#lib/trpc.ts'
import { handoverOf } from './link-notice-text.ts'
import { LinkResult } from './link-result.tsx'

/** Creates a new one-time link. If the member has a guarded role, a change approver has to approve it first. */
export function ResetPassword({ member, onClose }: { member: Member; onClose: () => void }) {
  const { client } = useApi()
  const { me } = useSession()
  const [result, setResult] = useState<Answers['members']['resetPassword']>()
  const [reason, setReason] = useState('')
  const act = useAct({
    send: client.members.resetPassword.mutate,
    touches: ['members', 'approvals'],
    onDone: setResult,
  })
  // As the dialog was opened: an invitation that has been accepted since then is not a password to be reset.
  const [shown] = useState(member)
  const invited = shown.status === 'invited'
  if (result !== undefined)
    return (
      <LinkResult
        title={
          result.change === null
            ? handoverOf(result) === 'mailed'
              ? t.linkForIsBeing({ member: member.displayName })
              : t.oneTimeLinkFor({ member: member.displayName })
            : t.resetForWaitsFor({ member: member.displayName })
        }
        result={result}
        removed={result.removedPasskeys}
        lost={t.createAnotherLinkLost}
        onClose={onClose}
      />
    )
  const asks = resetNeedsApproval(shown, me.principal.roles)
  return (
    <ActDialog
      title={
        invited ? t.anotherLinkFor({ member: member.displayName }) : t.resetPasswordOf({ member: member.displayName })
      }
      description={asks ? t.thisPersonMayDo : t.theyAreSignedOut}
      label={asks ? t.requestResetOrCreate : t.createLink}
      busyLabel={t.creatingLink}
      act={act}
      onRun={() =>
        act.run({
          id: shown.id,
          expectedRevision: shown.revision,
          ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
        })
      }
      onClose={onClose}
    >
      <TextField
        label={t.reasonOptional}
        hint={asks ? t.shownToApprover : t.storedInAuditRecord}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        readOnly={act.pending}
      />
    </ActDialog>
  )
}
