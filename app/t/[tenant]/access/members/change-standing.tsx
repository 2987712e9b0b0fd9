'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { ReasonField } from '#components/forms/reason-field.tsx'
import { whyNotReason } from '#components/forms/reason-rule.ts'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import type { Member } from '#lib/schemas/members.ts'

export type Standing = 'suspend' | 'resume' | 'remove'

const WORDS: Record<Standing, { verb: string; busy: string; done: string; what: string }> = {
  suspend: {
    verb: 'Suspend',
    busy: 'Suspending',
    done: 'suspended',
    what: 'They lose access from the next request on, and their open pages and streams end immediately. You can resume the member later.',
  },
  resume: {
    verb: 'Resume',
    busy: 'Resuming',
    done: 'resumed',
    what: 'They regain the access that they had.',
  },
  remove: {
    verb: 'Remove',
    busy: 'Removing',
    done: 'removed',
    what: 'Permanent: the membership ends and the account is deleted. Their name remains in the audit log.',
  },
}

/** Suspends, resumes or removes a member, with a reason for the audit record. */
export function ChangeStanding({ member, act: kind, onClose }: { member: Member; act: Standing; onClose: () => void }) {
  const { client } = useApi()
  const notice = useNotice()
  const [reason, setReason] = useState('')
  const words = WORDS[kind]
  const act = useAct({
    send: client.members[kind].mutate,
    touches: ['members', 'groups', 'approvals'],
    onDone: () => {
      notice(`${member.displayName} is ${kind === 'resume' ? 'active again' : words.done}.`)
      onClose()
    },
  })
  return (
    <ActDialog
      title={`${words.verb} ${member.displayName}`}
      description={words.what}
      label={`${words.verb} ${member.displayName}`}
      busyLabel={`${words.busy} ${member.displayName}…`}
      missing={whyNotReason(reason)}
      act={act}
      onRun={() => act.run({ id: member.id, reason: reason.trim() })}
      onClose={onClose}
    >
      <ReasonField value={reason} onChange={setReason} hint="Stored in the audit record." locked={act.pending} />
    </ActDialog>
  )
}
