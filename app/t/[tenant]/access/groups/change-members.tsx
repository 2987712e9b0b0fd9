'use client'

import { useState } from 'react'
import { MappingRows } from '#components/access/mapping-rows.tsx'
import { useChoice } from '#components/access/use-choice.ts'
import { useApi } from '#components/api/api.tsx'
import { useQuery } from '#components/api/query.ts'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { Proposed } from '#components/forms/proposed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import type { Group, GroupMapping } from '#lib/schemas/members.ts'
import { useTRPC } from '#lib/trpc.ts'
import { MemberBoxes } from './member-boxes.tsx'

/** Proposes new members. The group stays unchanged until a change approver approves them. */
export function ChangeMembers({ group, onClose }: { group: Group; onClose: () => void }) {
  const { client } = useApi()
  const [approvalId, setApprovalId] = useState<string>()
  const [reason, setReason] = useState('')
  const { chosen, choose } = useChoice(group.members.map((member) => member.id))
  const [mappings, setMappings] = useState(group.mappings)
  const { can } = useSession()
  const trpc = useTRPC()
  const settings = useQuery(trpc.tenants.getSettings.queryOptions(undefined, { enabled: can('tenant:manage') }))
  const issuers = settings.data?.issuers ?? []
  const act = useAct({
    send: client.groups.setMembers.mutate,
    touches: ['groups', 'approvals'],
    onDone: ({ change }) => setApprovalId(change?.approvalId),
  })
  if (approvalId !== undefined)
    return <MembersProposed title={`Members of ${group.displayName}`} approvalId={approvalId} onClose={onClose} />
  const mapped = mappings.map(({ issuer, name }) => ({ issuer, name: name.trim() }))
  const sameMapped = mapped.length === group.mappings.length && mapped.every((one) => group.mappings.some(isLike(one)))
  const same =
    sameMapped && chosen.size === group.members.length && group.members.every((member) => chosen.has(member.id))
  return (
    <ActDialog
      title={`Members of ${group.displayName}`}
      description="A change approver decides your proposal. Neither you nor anyone who would join the group can approve it."
      label="Propose these members"
      busyLabel="Proposing…"
      done="proposed"
      missing={
        group.pendingApprovalId !== null
          ? 'Another change of its members is already waiting for approval. It has to be decided first.'
          : same
            ? 'You haven’t changed anything yet.'
            : mapped.some(({ name }) => name === '')
              ? 'Enter the name of each group of the identity provider.'
              : undefined
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
      <MemberBoxes current={group.members} chosen={chosen} onChange={choose} locked={act.pending} />
      {issuers.length + group.mappings.length > 0 && (
        <MappingRows<GroupMapping>
          legend="Groups of the identity provider"
          hint="Their members decide in this group as well, as their tokens of the last 24 hours or SCIM name them. The administrators of the provider decide who that is."
          label="Group at the provider"
          add="Add a group"
          entries={mappings}
          onChange={setMappings}
          issuers={issuers}
          empty={(issuer) => ({ issuer, name: '' })}
          locked={act.pending}
        />
      )}
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
