'use client'

import { useState } from 'react'
import { personRoles, roleName } from '#components/access/permission-texts.ts'
import { memberRefusalText } from '#components/access/refusal-text.ts'
import { RoleBoxes } from '#components/access/role-boxes.tsx'
import { useChoice } from '#components/access/use-choice.ts'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { Proposed } from '#components/forms/proposed.tsx'
import * as t from '#components/texts/access-members/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import { type Role, roleNames } from '#lib/permissions.ts'
import { splitRoles, whyNotSetRoles } from '#lib/rules/members.ts'
import type { Member } from '#lib/schemas/members.ts'
import type { Answers } from '#lib/trpc.ts'
import { useFacts } from './member-facts.ts'
import { guardNote, rolesLabel } from './role-notes.ts'

type SetRolesProps = { member: Member; onClose: () => void }

/** Sets the roles of a member. Ordinary roles change immediately; guarded roles require approval. */
export function SetRoles({ member, onClose }: SetRolesProps) {
  const { client } = useApi()
  const notice = useNotice()
  const facts = useFacts(member)
  const [result, setResult] = useState<Answers['members']['setRoles']>()
  const [reason, setReason] = useState('')
  // The membership that the form was opened with. If someone else changed it since then, the server refuses this change.
  const [shown] = useState(member)
  const { chosen, choose } = useChoice<Role>(roleNames.filter((role) => has(shown, role)))
  const act = useAct({
    send: client.members.setRoles.mutate,
    touches: ['members', 'approvals'],
    onDone: (output) => {
      if (output.change !== null) return setResult(output)
      notice(
        t.hasRoles({ member: member.displayName, roles: output.member.roles.map(roleName).join(', ') || t.noRoles }),
      )
      onClose()
    },
  })
  if (result !== undefined && result.change !== null) return <RolesProposed result={result} onClose={onClose} />
  const offered = roleNames.filter((role) => personRoles.includes(role) || has(shown, role))
  const roles = roleNames.filter((role) => chosen.has(role))
  const { proposed } = splitRoles(shown.roles, roles)
  return (
    <ActDialog
      title={t.rolesOf({ member: member.displayName })}
      description={t.changeAppliesFromNext}
      label={rolesLabel(shown.roles, roles, t.setThe)}
      busyLabel={t.settingRoles}
      missing={
        sameRoles(shown, roles)
          ? t.youHaventChangedAnything
          : memberRefusalText(whyNotSetRoles(facts, roles), { roles })
      }
      act={act}
      onRun={() =>
        act.run({
          id: member.id,
          expectedRevision: shown.revision,
          roles,
          ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
        })
      }
      onClose={onClose}
    >
      <RoleBoxes
        roles={offered}
        chosen={chosen}
        onChange={choose}
        note={(role) => guardNote(role, shown.roles)}
        locked={act.pending}
      />
      <TextField
        label={t.reasonOptional}
        hint={proposed.length === 0 ? t.storedInAuditRecord : t.shownToApprover}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        readOnly={act.pending}
      />
    </ActDialog>
  )
}

/** Whether the member has the role now, or will have it after the pending approval. */
const has = (member: Member, role: string) => member.roles.includes(role) || member.pendingRoles.includes(role)

const sameRoles = (member: Member, roles: readonly string[]): boolean => {
  const before = new Set([...member.roles, ...member.pendingRoles])
  return before.size === roles.length && roles.every((role) => before.has(role))
}

function RolesProposed({ result, onClose }: { result: Answers['members']['setRoles']; onClose: () => void }) {
  const { member, change } = result
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t.rolesOf({ member: member.displayName })}
      description={t.nowRoles({ roles: member.roles.map(roleName).join(', ') || t.noRoles })}
      actions={<Button onClick={onClose}>{t.close}</Button>}
    >
      {change !== null && (
        <Proposed
          what={t.waitingForApproval({ roles: member.pendingRoles.map(roleName).join(', ') })}
          approvalId={change.approvalId}
        />
      )}
    </Dialog>
  )
}
