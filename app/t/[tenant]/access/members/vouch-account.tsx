'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { Checkbox } from '#components/ui/controls/checkbox.tsx'
import { TextArea } from '#components/ui/controls/text-field.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import { limits } from '#lib/limits.ts'
import type { Member } from '#lib/schemas/members.ts'
import { ControlState } from './control-state.tsx'

/** States on the record that the holder of an account controls it, so that no one else counts as the holder any more. */
export function VouchAccount({ member, onClose }: { member: Member; onClose: () => void }) {
  const { client } = useApi()
  const notice = useNotice()
  const [reason, setReason] = useState('')
  const [sure, setSure] = useState(false)
  const name = member.displayName
  const act = useAct({
    send: client.members.vouch.mutate,
    touches: ['members', 'approvals'],
    onDone: () => {
      notice(`You vouched for ${name}.`)
      onClose()
    },
  })
  return (
    <ActDialog
      title={`Vouch for ${name}`}
      description={`Your name is recorded in the audit log. From then on ${name} counts as a person of their own: those who invited or reset the account can decide its requests, including the ones that wait now, and ${name} can decide theirs.`}
      label={`Vouch for ${name}`}
      busyLabel={`Vouching for ${name}…`}
      missing={whyNot(reason, sure)}
      act={act}
      onRun={() => act.run({ id: member.id, reason: reason.trim() })}
      onClose={onClose}
    >
      <ControlState member={member} full />
      <TextArea
        label="How you made sure"
        hint="Required, kept in the audit record. For example: I met them, and saw that they are signed in."
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        limit={limits.reason}
        readOnly={act.pending}
      />
      <Checkbox label={`Only ${name} can sign in to this account`} checked={sure} onChange={setSure} />
    </ActDialog>
  )
}

function whyNot(reason: string, sure: boolean): string | undefined {
  if (reason.trim() === '') return 'State how you made sure.'
  if (reason.length > limits.reason) return `A reason can have at most ${limits.reason} characters.`
  if (!sure) return 'Confirm that only this person can sign in.'
}
