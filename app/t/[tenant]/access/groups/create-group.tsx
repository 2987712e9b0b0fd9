'use client'

import { useState } from 'react'
import { useChoice } from '#components/access/use-choice.ts'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { whyNotName } from '#components/forms/name-rule.ts'
import * as t from '#components/texts/access-groups/en.ts'
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
      notice(t.groupWasCreatedWithout({ group: group.displayName }))
      onClose()
    },
  })
  if (approvalId !== undefined)
    return (
      <MembersProposed title={t.groupCreated({ name: displayName.trim() })} approvalId={approvalId} onClose={onClose} />
    )
  const badName = whyNotName(name, 'group')
  return (
    <ActDialog
      title={t.createApproverGroup}
      description={t.groupStartsEmptyIts}
      label={chosen.size + mappings.length === 0 ? t.createGroup : t.createGroupAndPropose}
      busyLabel={t.creatingGroup}
      missing={
        badName ??
        (displayName.trim() === '' || displayName.trim().length > limits.groupDisplayName
          ? t.enterDisplayNameUp({ groupDisplayName: limits.groupDisplayName })
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
        label={t.name}
        hint={t.manifestsAndPoliciesRefer}
        error={name === '' ? undefined : badName}
        value={name}
        onChange={(event) => setName(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
      <TextField
        label={t.displayName}
        value={displayName}
        onChange={(event) => setDisplayName(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
      <MemberBoxes legend={t.firstMembers} current={[]} chosen={chosen} onChange={choose} locked={act.pending} />
      <ProviderGroups current={[]} entries={mappings} onChange={setMappings} locked={act.pending} />
    </ActDialog>
  )
}
