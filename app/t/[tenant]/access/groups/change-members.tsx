'use client'

import { useState } from 'react'
import { useChoice } from '#components/access/use-choice.ts'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { Proposed } from '#components/forms/proposed.tsx'
import * as t from '#components/texts/access-groups/en.ts'
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
    return (
      <MembersProposed title={t.membersOf({ group: group.displayName })} approvalId={approvalId} onClose={onClose} />
    )
  const mapped = sentMappings(mappings)
  const sameMapped = mapped.length === group.mappings.length && mapped.every((one) => group.mappings.some(isLike(one)))
  const same =
    sameMapped && chosen.size === group.members.length && group.members.every((member) => chosen.has(member.id))
  return (
    <ActDialog
      title={t.membersOf({ group: group.displayName })}
      description={t.changeApproverDecidesYour}
      label={t.proposeTheseMembers}
      busyLabel={t.proposing}
      missing={
        group.pendingApprovalId !== null
          ? t.anotherChangeOfIts
          : same
            ? t.youHaventChangedAnything
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
        legend={t.membersAfterChange}
        current={group.members}
        chosen={chosen}
        onChange={choose}
        locked={act.pending}
      />
      <ProviderGroups current={group.mappings} entries={mappings} onChange={setMappings} locked={act.pending} />
      <TextField
        label={t.reasonOptional}
        hint={t.shownToApprover}
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
      description={t.groupStaysUnchangedUntil}
      actions={<Button onClick={onClose}>{t.close}</Button>}
    >
      <Proposed what={t.newMembersAreProposed} approvalId={approvalId} />
    </Dialog>
  )
}
