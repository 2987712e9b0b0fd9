'use client'

import { useState } from 'react'
import { memberRefusalText } from '#components/access/refusal-text.ts'
import { ActionButton } from '#components/navigation/action-button.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import {
  resetNeedsApproval,
  whyNotRemove,
  whyNotResetPassword,
  whyNotResume,
  whyNotSetRoles,
  whyNotSuspend,
  whyNotVouch,
} from '#lib/rules/members.ts'
import type { Member } from '#lib/schemas/members.ts'
import { ChangeStanding, type Standing } from './change-standing.tsx'
import { ControlState } from './control-state.tsx'
import { tieTo, useFacts, vouchFacts } from './member-facts.ts'
import { MemberStatusShape } from './member-status.tsx'
import { ResetPassword } from './reset-password.tsx'
import { PendingReset, PendingRoles, RoleList, RolesOrigin } from './role-list.tsx'
import { SetRoles } from './set-roles.tsx'
import { VouchAccount } from './vouch-account.tsx'

type ManageMemberProps = { member: Member; onClose: () => void }

/** Shows one person with their roles, and the actions on the membership. A blocked action states its reason. */
export function ManageMember({ member, onClose }: ManageMemberProps) {
  const [step, setStep] = useState<'facts' | 'roles' | 'password' | 'vouch' | Standing>('facts')
  const facts = useFacts(member)
  const { me } = useSession()
  switch (step) {
    case 'facts':
      break
    case 'roles':
      return <SetRoles member={member} onClose={onClose} />
    case 'password':
      return <ResetPassword member={member} onClose={onClose} />
    case 'vouch':
      return <VouchAccount member={member} onClose={onClose} />
    default:
      return <ChangeStanding member={member} act={step} onClose={onClose} />
  }
  const reset = member.status === 'invited' ? 'Create another link' : 'Reset the password'
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={member.displayName}
      description={
        member.isForeign ? 'A member who signs in at another organisation.' : 'A member of this organisation.'
      }
    >
      <KeyValues>
        <KeyValue name="State">
          <span className="flex flex-col">
            <MemberStatusShape status={member.status} />
            <PendingReset member={member} />
          </span>
        </KeyValue>
        {member.status !== 'removed' && (
          <KeyValue name="Control">
            <ControlState member={member} full />
          </KeyValue>
        )}
        <KeyValue name="User name">
          <ShownText>{member.username}</ShownText>
        </KeyValue>
        {member.email !== null && (
          <KeyValue name="E-mail">
            <ShownText>{member.email}</ShownText>
          </KeyValue>
        )}
        <KeyValue name="Roles">
          <span className="flex flex-col">
            <RoleList roles={member.roles} />
            <RolesOrigin member={member} full />
            <PendingRoles member={member} />
          </span>
        </KeyValue>
        <KeyValue name="Decides in">
          {member.groups.length === 0 ? 'No approver group' : <ShownText>{member.groups.join(', ')}</ShownText>}
        </KeyValue>
        {member.linkExpiresAt !== null && (
          <KeyValue name="One-time link">
            Not used yet, expires <Time at={member.linkExpiresAt} />
          </KeyValue>
        )}
        <KeyValue name="Member since">
          <Time at={member.createdAt} />
        </KeyValue>
        <KeyValue name="Member ID">
          <Copyable value={member.id} label="member ID" />
        </KeyValue>
      </KeyValues>
      <div className="flex flex-wrap items-start gap-3">
        <ActionButton
          permission="member:manage"
          onClick={() => setStep('roles')}
          disabledReason={memberRefusalText(whyNotSetRoles(facts, member.isLastAdmin ? ['tenant_admin'] : []))}
        >
          Set roles
        </ActionButton>
        {member.status === 'suspended' ? (
          <ActionButton
            permission="member:manage"
            onClick={() => setStep('resume')}
            disabledReason={memberRefusalText(whyNotResume(facts))}
          >
            Resume
          </ActionButton>
        ) : (
          <ActionButton
            permission="member:manage"
            onClick={() => setStep('suspend')}
            disabledReason={memberRefusalText(whyNotSuspend(facts))}
          >
            Suspend
          </ActionButton>
        )}
        <ActionButton
          permission="member:manage"
          onClick={() => setStep('password')}
          disabledReason={memberRefusalText(whyNotResetPassword(facts))}
        >
          {resetNeedsApproval(member, me.principal.roles) ? `${reset}, with approval` : reset}
        </ActionButton>
        {(member.control?.proof == null || member.control.proof === 'before') && (
          <ActionButton
            permission="member:manage"
            onClick={() => setStep('vouch')}
            disabledReason={memberRefusalText(whyNotVouch(vouchFacts(member, me.principal.id)), {
              tie: tieTo(member, me.principal.id),
            })}
          >
            Vouch
          </ActionButton>
        )}
        <ActionButton
          permission="member:manage"
          onClick={() => setStep('remove')}
          disabledReason={memberRefusalText(whyNotRemove(facts))}
        >
          Remove
        </ActionButton>
      </div>
    </Dialog>
  )
}
