'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import * as t from '#components/texts/access-members/en.ts'
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
      notice(t.youVouchedFor({ name }))
      onClose()
    },
  })
  return (
    <ActDialog
      title={t.vouchFor({ name })}
      description={t.yourNameIsRecorded({ name })}
      label={t.vouchFor({ name })}
      busyLabel={t.vouchingFor({ name })}
      missing={whyNot(reason, sure)}
      act={act}
      onRun={() => act.run({ id: member.id, reason: reason.trim() })}
      onClose={onClose}
    >
      <ControlState member={member} full />
      <TextArea
        label={t.howYouMadeSure}
        hint={t.requiredKeptInAudit}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        limit={limits.reason}
        readOnly={act.pending}
      />
      <Checkbox label={t.onlyCanSignIn({ name })} checked={sure} onChange={setSure} />
    </ActDialog>
  )
}

function whyNot(reason: string, sure: boolean): string | undefined {
  if (reason.trim() === '') return t.stateHowYouMade
  if (reason.length > limits.reason) return t.reasonCanHaveAt({ reason: limits.reason })
  if (!sure) return t.confirmThatOnlyThis
}
