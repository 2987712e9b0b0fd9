'use client'

import { useState } from 'react'
import { RoleBoxes } from '#components/access/role-boxes.tsx'
import { useChoice } from '#components/access/use-choice.ts'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { Proposed } from '#components/forms/proposed.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import { personRoles, roleName } from '#lib/permission-texts.ts'
import { type Role, roleNames } from '#lib/permissions.ts'
import { splitRoles, whyNotSetRoles } from '#lib/rules/members.ts'
import type { Member } from '#lib/schemas/members.ts'
import type { Answers } from '#lib/trpc.ts'
import { useFacts } from './member-facts.ts'
import { guardNote, rolesLabel } from './role-notes.ts'

type SetRolesProps = { member: Member; onClose: () => void }

/** What the member may do. Ordinary roles change at once; guarded ones are asked for. */
export function SetRoles({ member, onClose }: SetRolesProps) {
  const { client } = useApi()
  const notice = useNotice()
  const facts = useFacts(member)
  const [result, setResult] = useState<Answers['members']['setRoles']>()
  const [reason, setReason] = useState('')
  // The membership as the form was filled in for: a change by somebody else meanwhile is refused, not overwritten.
  const [shown] = useState(member)
  const { chosen, choose } = useChoice<Role>(roleNames.filter((role) => has(shown, role)))
  const act = useAct({
    send: client.members.setRoles.mutate,
    touches: ['members', 'approvals'],
    onDone: (output) => {
      if (output.change !== null) return setResult(output)
      notice(`${member.displayName} has the roles ${output.member.roles.map(roleName).join(', ') || 'none'}.`)
      onClose()
    },
  })
  if (result !== undefined && result.change !== null) return <Asked result={result} onClose={onClose} />
  const offered = roleNames.filter((role) => personRoles.includes(role) || has(shown, role))
  const roles = roleNames.filter((role) => chosen.has(role))
  const { ask } = splitRoles(shown.roles, roles)
  return (
    <ActDialog
      title={`Roles of ${member.displayName}`}
      description="They apply from the next request on, also to what is open now."
      label={rolesLabel(shown.roles, roles, 'Set the roles')}
      busyLabel="Setting the roles"
      done="changed"
      missing={sameRoles(shown, roles) ? 'Nothing is changed yet.' : whyNotSetRoles(facts, roles)?.message}
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
        label="Reason (optional)"
        hint={ask.length === 0 ? 'Kept in the audit record.' : 'The approver reads it.'}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        readOnly={act.pending}
      />
    </ActDialog>
  )
}

/** What they have, and what they would have once it is approved. */
const has = (member: Member, role: string) => member.roles.includes(role) || member.pendingRoles.includes(role)

const sameRoles = (member: Member, roles: readonly string[]): boolean => {
  const before = new Set([...member.roles, ...member.pendingRoles])
  return before.size === roles.length && roles.every((role) => before.has(role))
}

function Asked({ result, onClose }: { result: Answers['members']['setRoles']; onClose: () => void }) {
  const { member, change } = result
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={`Roles of ${member.displayName}`}
      description={`Now: ${member.roles.map(roleName).join(', ') || 'none'}.`}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      {change !== null && (
        <Proposed
          what={`${member.pendingRoles.map(roleName).join(', ')}: it waits for approval.`}
          approvalId={change.approvalId}
        />
      )}
    </Dialog>
  )
}
