'use client'

import { useState } from 'react'
import { useChoice } from '#components/access/use-choice.ts'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import { limits } from '#lib/limits.ts'
import { Asked } from './change-members.tsx'
import { MemberBoxes } from './member-boxes.tsx'

/** Makes an empty group, and asks for its first members. */
export function CreateGroup({ onClose }: { onClose: () => void }) {
  const { client } = useApi()
  const notice = useNotice()
  const [approvalId, setApprovalId] = useState<string>()
  const [name, setName] = useState('')
  const [displayName, setDisplayName] = useState('')
  const { chosen, choose } = useChoice<string>([])
  const act = useAct({
    send: client.groups.create.mutate,
    touches: ['groups', 'approvals'],
    onDone: ({ group, change }) => {
      if (change !== null) return setApprovalId(change.approvalId)
      notice(`The group ${group.displayName} is made. It is empty.`)
      onClose()
    },
  })
  if (approvalId !== undefined)
    return <Asked title={`The group ${displayName.trim()} is made`} approvalId={approvalId} onClose={onClose} />
  const wrongName = name !== '' && !/^[a-z0-9][a-z0-9-]{0,62}$/.test(name)
  return (
    <ActDialog
      title="Create an approver group"
      description="It begins empty. Its first members join when a change approver who is not you has approved them."
      label={chosen.size === 0 ? 'Create the group' : 'Create the group and propose its members'}
      busyLabel="Creating the group"
      done="created"
      missing={
        name === '' || wrongName
          ? 'Give it a name by which policies refer to it.'
          : displayName.trim() === '' || displayName.trim().length > limits.groupDisplayName
            ? `Enter what people see, at most ${limits.groupDisplayName} characters.`
            : undefined
      }
      act={act}
      onRun={() => act.run({ name, displayName: displayName.trim(), memberIds: [...chosen] })}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="For manifests and policies, for example refund-approvers. It never changes."
        error={wrongName ? 'Lower-case letters, digits and hyphens; not beginning with a hyphen.' : undefined}
        value={name}
        onChange={(event) => setName(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
      <TextField
        label="Shown as"
        value={displayName}
        onChange={(event) => setDisplayName(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
      <MemberBoxes current={[]} chosen={chosen} onChange={choose} locked={act.pending} />
    </ActDialog>
  )
}
