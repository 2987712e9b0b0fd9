'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { ReasonField } from '#components/forms/reason-field.tsx'
import { whyNotReason } from '#components/forms/reason-rule.ts'
import * as t from '#components/texts/access-members/en.ts'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import type { Member } from '#lib/schemas/members.ts'

export type Standing = 'suspend' | 'resume' | 'remove'

const CONSEQUENCES: Record<Standing, string> = {
  suspend: t.theyLoseAccessFrom,
  resume: t.theyRegainAccessThat,
  remove: t.permanentMembershipEndsAnd,
}

/** Suspends, resumes or removes a member, with a reason for the audit record. */
export function ChangeStanding({ member, act: kind, onClose }: { member: Member; act: Standing; onClose: () => void }) {
  const { client } = useApi()
  const notice = useNotice()
  const [reason, setReason] = useState('')
  const about = { kind, member: member.displayName }
  const act = useAct({
    send: client.members[kind].mutate,
    touches: ['members', 'groups', 'approvals'],
    onDone: () => {
      notice(t.nowIs(about))
      onClose()
    },
  })
  return (
    <ActDialog
      title={t.standing(about)}
      description={CONSEQUENCES[kind]}
      label={t.standing(about)}
      busyLabel={t.standingBusy(about)}
      missing={whyNotReason(reason)}
      act={act}
      onRun={() => act.run({ id: member.id, reason: reason.trim() })}
      onClose={onClose}
    >
      <ReasonField value={reason} onChange={setReason} hint={t.storedInAuditRecord} locked={act.pending} />
    </ActDialog>
  )
}
