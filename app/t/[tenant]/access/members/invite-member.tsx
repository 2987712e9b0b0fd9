'use client'

import { useState } from 'react'
import { personRoles } from '#components/access/permission-texts.ts'
import { RoleBoxes } from '#components/access/role-boxes.tsx'
import { useChoice } from '#components/access/use-choice.ts'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import * as t from '#components/texts/access-members/en.ts'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { limits } from '#lib/limits.ts'
import type { Role } from '#lib/permissions.ts'
import { splitRoles } from '#lib/rules/members.ts'
import type { Answers } from '#lib/trpc.ts'
import { LinkResult } from './link-result.tsx'
import { guardNote, rolesLabel } from './role-notes.ts'

/** Creates a membership and the one-time link that the person uses to set a password. */
export function InviteMember({ onClose }: { onClose: () => void }) {
  const { client } = useApi()
  const [result, setResult] = useState<Answers['members']['invite']>()
  const [email, setEmail] = useState('')
  const [displayName, setDisplayName] = useState('')
  const [reason, setReason] = useState('')
  const { chosen, choose } = useChoice<Role>(['viewer'])
  const act = useAct({ send: client.members.invite.mutate, touches: ['members', 'approvals'], onDone: setResult })
  if (result !== undefined)
    return (
      <LinkResult
        title={t.isInvited({ member: result.member.displayName })}
        result={result}
        lost={t.openPersonInList}
        onClose={onClose}
      />
    )
  const roles = personRoles.filter((role) => chosen.has(role))
  const asks = splitRoles([], roles).proposed.length > 0
  return (
    <ActDialog
      title={t.invitePerson}
      description={t.theyReceiveOneTime}
      label={rolesLabel([], roles, t.invite)}
      busyLabel={t.inviting}
      missing={whyNot(email, displayName)}
      act={act}
      onRun={() =>
        act.run({
          email: email.trim(),
          displayName: displayName.trim(),
          roles,
          ...(asks && reason.trim() !== '' ? { reason: reason.trim() } : {}),
        })
      }
      onClose={onClose}
    >
      <TextField
        label={t.eMailAddress}
        type="email"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
      <TextField
        label={t.name}
        hint={t.shownToOthersIn}
        value={displayName}
        onChange={(event) => setDisplayName(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
      <RoleBoxes
        roles={personRoles}
        chosen={chosen}
        onChange={choose}
        note={(role) => guardNote(role, [])}
        locked={act.pending}
      />
      {asks && (
        <TextField
          label={t.reasonOptional}
          hint={t.shownToApprover}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          readOnly={act.pending}
        />
      )}
    </ActDialog>
  )
}

function whyNot(email: string, displayName: string): string | undefined {
  if (!/^\S+@\S+\.\S+$/.test(email.trim())) return t.enterValidEMail
  if (displayName.trim() === '') return t.enterName
  if (displayName.trim().length > limits.personName) return t.nameCanHaveAt({ personName: limits.personName })
}
