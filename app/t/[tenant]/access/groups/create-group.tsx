'use client'

import { useState } from 'react'
import { useChoice } from '#components/access/use-choice.ts'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { whyNotName } from '#components/forms/name-rule.ts'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import { limits } from '#lib/limits.ts'
import type { GroupMapping } from '#lib/schemas/members.ts'
import { MembersProposed } from './change-members.tsx'
import { MemberBoxes } from './member-boxes.tsx'
import { ProviderGroups, sentMappings, whyNotMapped } from './provider-groups.tsx'

/** Creates an empty group, and proposes its first members. */
export function CreateGroup({ onClose }: { onClose: () => void }) {
  const { client } = useApi()
  const notice = useNotice()
  const [approvalId, setApprovalId] = useState<string>()
  const [name, setName] = useState('')
  const [displayName, setDisplayName] = useState('')
  const { chosen, choose } = useChoice<string>([])
  const [mappings, setMappings] = useState<GroupMapping[]>([])
  const act = useAct({
    send: client.groups.create.mutate,
    touches: ['groups', 'approvals'],
    onDone: ({ group, change }) => {
      if (change !== null) return setApprovalId(change.approvalId)
      notice(`The group ${group.displayName} was created without members.`)
      onClose()
    },
  })
  if (approvalId !== undefined)
    return <MembersProposed title={`Group ${displayName.trim()} created`} approvalId={approvalId} onClose={onClose} />
  const badName = whyNotName(name, 'group')
  return (
    <ActDialog
      title="Create an approver group"
      description="The group starts empty. Its first members join after a change approver other than you approves them."
      label={chosen.size + mappings.length === 0 ? 'Create the group' : 'Create the group and propose its members'}
      busyLabel="Creating the group…"
      missing={
        badName ??
        (displayName.trim() === '' || displayName.trim().length > limits.groupDisplayName
          ? `Enter a display name, up to ${limits.groupDisplayName} characters.`
          : whyNotMapped(mappings))
      }
      act={act}
      onRun={() =>
        act.run({
          name,
          displayName: displayName.trim(),
          memberIds: [...chosen],
          ...(mappings.length === 0 ? {} : { mappings: sentMappings(mappings) }),
        })
      }
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="Manifests and policies refer to it, for example refund-approvers. It can’t be changed later."
        error={name === '' ? undefined : badName}
        value={name}
        onChange={(event) => setName(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
      <TextField
        label="Display name"
        value={displayName}
        onChange={(event) => setDisplayName(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
      <MemberBoxes legend="First members" current={[]} chosen={chosen} onChange={choose} locked={act.pending} />
      <ProviderGroups current={[]} entries={mappings} onChange={setMappings} locked={act.pending} />
    </ActDialog>
  )
}
