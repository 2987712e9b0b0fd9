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
import type { Group, GroupMapping } from '#lib/schemas/members.ts'
import { MemberBoxes } from './member-boxes.tsx'
import { ProviderGroups, sentMappings, whyNotMapped } from './provider-groups.tsx'

/** Proposes new members. The group stays unchanged until a change approver approves them. */
export function ChangeMembers({ group, onClose }: { group: Group; onClose: () => void }) {
  const { client } = useApi()
  const [approvalId, setApprovalId] = useState<string>()
  const [reason, setReason] = useState('')
  const { chosen, choose } = useChoice(group.members.map((member) => member.id))
  const [mappings, setMappings] = useState(group.mappings)
  const act = useAct({
    send: client.groups.setMembers.mutate,
    touches: ['groups', 'approvals'],
    onDone: ({ change }) => setApprovalId(change?.approvalId),
  })
  if (approvalId !== undefined)
    return <MembersProposed title={`Members of ${group.displayName}`} approvalId={approvalId} onClose={onClose} />
  const mapped = sentMappings(mappings)
  const sameMapped = mapped.length === group.mappings.length && mapped.every((one) => group.mappings.some(isLike(one)))
  const same =
    sameMapped && chosen.size === group.members.length && group.members.every((member) => chosen.has(member.id))
  return (
    <ActDialog
      title={`Members of ${group.displayName}`}
      description="A change approver decides your proposal. Neither you nor anyone who would join the group can approve it."
      label="Propose these members"
      busyLabel="Proposing…"
      missing={
        group.pendingApprovalId !== null
          ? 'Another change of its members is already waiting for approval. It has to be decided first.'
          : same
            ? 'You haven’t changed anything yet.'
            : whyNotMapped(mappings)
      }
      act={act}
      onRun={() =>
        act.run({
          id: group.id,
          expectedRevision: group.revision,
          memberIds: [...chosen],
          ...(sameMapped ? {} : { mappings: mapped }),
          ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
        })
      }
      onClose={onClose}
    >
      <MemberBoxes
        legend="Members after the change"
        current={group.members}
        chosen={chosen}
        onChange={choose}
        locked={act.pending}
      />
      <ProviderGroups current={group.mappings} entries={mappings} onChange={setMappings} locked={act.pending} />
      <TextField
        label="Reason (optional)"
        hint="Shown to the approver."
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        readOnly={act.pending}
      />
    </ActDialog>
  )
}

const isLike = (one: GroupMapping) => (other: GroupMapping) => one.issuer === other.issuer && one.name === other.name

/** Confirms that the change was proposed, with a link to the request. */
export function MembersProposed({
  title,
  approvalId,
  onClose,
}: {
  title: string
  approvalId: string
  onClose: () => void
}) {
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={title}
      description="The group stays unchanged until the request is approved."
      actions={<Button onClick={onClose}>Close</Button>}
    >
      <Proposed what="The new members are proposed." approvalId={approvalId} />
    </Dialog>
  )
}
