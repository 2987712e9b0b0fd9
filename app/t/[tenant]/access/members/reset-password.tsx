'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { resetNeedsApproval } from '#lib/rules/members.ts'
import type { Member } from '#lib/schemas/members.ts'
import type { Answers } from '#lib/trpc.ts'
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
  const invited = member.status === 'invited'
  if (result !== undefined)
    return (
      <LinkResult
        title={
          result.change === null
            ? result.inviteUrl === null
              ? `The link for ${member.displayName} is being sent`
              : `A one-time link for ${member.displayName}`
            : `The reset for ${member.displayName} waits for approval`
        }
        result={result}
        removed={result.removedPasskeys}
        lost="Create another link. The lost one then stops working."
        onClose={onClose}
      />
    )
  const asks = resetNeedsApproval(member, me.principal.roles)
  return (
    <ActDialog
      title={invited ? `Another link for ${member.displayName}` : `Reset the password of ${member.displayName}`}
      description={
        asks
          ? 'This person may do more than you, or decides or administers, so a change approver other than you has to approve the reset first. After the approval, repeat this step within 24 hours to create the link.'
          : 'They are signed out everywhere, the old password, passkeys and older links stop working, and they see at the next sign-in that you did this. The link is sent to their address, or shown to you if no mail server is configured. Until control is proved, you count as the same person.'
      }
      label={asks ? 'Request the reset, or create the approved link' : 'Create the link'}
      busyLabel="Creating the link…"
      act={act}
      onRun={() => act.run({ id: member.id, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) })}
      onClose={onClose}
    >
      <TextField
        label="Reason (optional)"
        hint={asks ? 'Shown to the approver.' : 'Stored in the audit record.'}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        readOnly={act.pending}
      />
    </ActDialog>
  )
}
