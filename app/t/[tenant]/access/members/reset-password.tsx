'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { holdsGuardedRole } from '#lib/rules/members.ts'
import type { Member } from '#lib/schemas/members.ts'
import type { Answers } from '#lib/trpc.ts'
import { LinkResult } from './link-result.tsx'

/** A new one-time link; for who decides, sees in clear or administers, a change approver decides about it first. */
export function ResetPassword({ member, onClose }: { member: Member; onClose: () => void }) {
  const { client } = useApi()
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
            ? `A one-time link for ${member.displayName}`
            : `The reset for ${member.displayName} waits for approval`
        }
        result={result}
        lost="Make another link: the lost one stops working then."
        onClose={onClose}
      />
    )
  const asks = holdsGuardedRole(member.roles)
  return (
    <ActDialog
      title={invited ? `Another link for ${member.displayName}` : `Reset the password of ${member.displayName}`}
      description={
        asks
          ? 'Whoever holds the link can decide or administer in their name, so a change approver who is not you approves it first. After the approval do the same again within 24 hours: then you get the link.'
          : 'They are signed out everywhere, the old password and older links stop working, and you get a one-time link to hand over.'
      }
      label={asks ? 'Ask for the reset, or make the approved link' : 'Make the link'}
      busyLabel="Making the link"
      done="reset"
      act={act}
      onRun={() => act.run({ id: member.id, ...(reason.trim() === '' ? {} : { reason: reason.trim() }) })}
      onClose={onClose}
    >
      <TextField
        label="Reason (optional)"
        hint={asks ? 'The approver reads it.' : 'Kept in the audit record.'}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        readOnly={act.pending}
      />
    </ActDialog>
  )
}
