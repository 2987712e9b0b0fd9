'use client'

import { useState } from 'react'
import { useChoice } from '#components/access/use-choice.ts'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { Proposed } from '#components/forms/proposed.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import type { Group } from '#lib/schemas/members.ts'
import { MemberBoxes } from './member-boxes.tsx'

/** Asks for other members; the group stays as it is until that is approved. */
export function ChangeMembers({ group, onClose }: { group: Group; onClose: () => void }) {
  const { client } = useApi()
  const [approvalId, setApprovalId] = useState<string>()
  const [reason, setReason] = useState('')
  const { chosen, choose } = useChoice(group.members.map((member) => member.id))
  const act = useAct({
    send: client.groups.setMembers.mutate,
    touches: ['groups', 'approvals'],
    onDone: ({ change }) => setApprovalId(change?.approvalId),
  })
  if (approvalId !== undefined)
    return <Asked title={`Members of ${group.displayName}`} approvalId={approvalId} onClose={onClose} />
  const same = chosen.size === group.members.length && group.members.every((member) => chosen.has(member.id))
  return (
    <ActDialog
      title={`Members of ${group.displayName}`}
      description="You propose, a change approver decides. Neither you nor anyone who would join can approve it."
      label="Propose these members"
      busyLabel="Proposing"
      done="proposed"
      missing={
        group.pendingApprovalId !== null
          ? 'A change of its members waits already. Have it decided first.'
          : same
            ? 'Nothing is changed yet.'
            : undefined
      }
      act={act}
      onRun={() =>
        act.run({
          id: group.id,
          expectedRevision: group.revision,
          memberIds: [...chosen],
          ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
        })
      }
      onClose={onClose}
    >
      <MemberBoxes current={group.members} chosen={chosen} onChange={choose} locked={act.pending} />
      <TextField
        label="Reason (optional)"
        hint="The approver reads it."
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        readOnly={act.pending}
      />
    </ActDialog>
  )
}

/** The change is on its way to the approvers. */
export function Asked({ title, approvalId, onClose }: { title: string; approvalId: string; onClose: () => void }) {
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={title}
      description="The group stays as it is until then."
      actions={<Button onClick={onClose}>Close</Button>}
    >
      <Proposed what="The members are proposed." approvalId={approvalId} />
    </Dialog>
  )
}
