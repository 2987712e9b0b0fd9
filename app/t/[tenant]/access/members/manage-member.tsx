'use client'

import { useState } from 'react'
import { memberRefusalText } from '#components/access/refusal-text.ts'
import { shownText } from '#components/language/shown-text.tsx'
import { ActionButton } from '#components/navigation/action-button.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/access-members/en.ts'
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
import { hostOf, whereMemberSignsIn } from './account-words.ts'
import { ChangeStanding, type Standing } from './change-standing.tsx'
import { ControlState } from './control-state.tsx'
import { isLinkMailShown, LinkMailState } from './link-mail.tsx'
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
  const reset = member.status === 'invited' ? t.createAnotherLink : t.resetPassword
  const { linkExpiresAt } = member
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={member.displayName}
      description={whereMemberSignsIn(member)}
    >
      <KeyValues>
        <KeyValue name={t.state}>
          <span className="flex flex-col">
            <MemberStatusShape status={member.status} />
            <PendingReset member={member} />
          </span>
        </KeyValue>
        {member.status !== 'removed' && (
          <KeyValue name={t.control}>
            <ControlState member={member} full />
          </KeyValue>
        )}
        <KeyValue name={t.userName}>
          <ShownText>{member.username}</ShownText>
        </KeyValue>
        {member.provisioned != null && member.issuer != null && (
          <KeyValue name={t.account}>
            {t.managedByScim({
              host: hostOf(member.issuer),
              externalId: member.provisioned.externalId,
              shown: shownText,
            })}
          </KeyValue>
        )}
        {member.email !== null && (
          <KeyValue name={t.eMail}>
            <ShownText>{member.email}</ShownText>
          </KeyValue>
        )}
        <KeyValue name={t.roles}>
          <span className="flex flex-col">
            <RoleList roles={member.roles} />
            <RolesOrigin member={member} full />
            <PendingRoles member={member} />
          </span>
        </KeyValue>
        <KeyValue name={t.decidesIn}>
          {member.groups.length === 0 ? t.noApproverGroup : <ShownText>{member.groups.join(', ')}</ShownText>}
        </KeyValue>
        {linkExpiresAt !== null && (
          <KeyValue name={t.oneTime}>{t.notUsedYetExpires({ at: () => <Time at={linkExpiresAt} /> })}</KeyValue>
        )}
        {isLinkMailShown(member) && (
          <KeyValue name={t.mailWithLink}>
            <LinkMailState mail={member.linkMail} again={reset} />
          </KeyValue>
        )}
        <KeyValue name={t.memberSince}>
          <Time at={member.createdAt} />
        </KeyValue>
        <KeyValue name={t.memberId}>
          <Copyable value={member.id} label={t.memberIdInSentence} />
        </KeyValue>
      </KeyValues>
      <div className="flex flex-wrap items-start gap-3">
        <ActionButton
          permission="member:manage"
          onClick={() => setStep('roles')}
          disabledReason={memberRefusalText(whyNotSetRoles(facts, member.isLastAdmin ? ['tenant_admin'] : []))}
        >
          {t.setRoles}
        </ActionButton>
        {member.status === 'suspended' ? (
          <ActionButton
            permission="member:manage"
            onClick={() => setStep('resume')}
            disabledReason={memberRefusalText(whyNotResume(facts))}
          >
            {t.resume}
          </ActionButton>
        ) : (
          <ActionButton
            permission="member:manage"
            onClick={() => setStep('suspend')}
            disabledReason={memberRefusalText(whyNotSuspend(facts))}
          >
            {t.suspend}
          </ActionButton>
        )}
        <ActionButton
          permission="member:manage"
          onClick={() => setStep('password')}
          disabledReason={memberRefusalText(whyNotResetPassword(facts))}
        >
          {resetNeedsApproval(member, me.principal.roles) ? t.withApproval({ reset }) : reset}
        </ActionButton>
        {(member.control?.proof == null || member.control.proof === 'before') && (
          <ActionButton
            permission="member:manage"
            onClick={() => setStep('vouch')}
            disabledReason={memberRefusalText(whyNotVouch(vouchFacts(member, me.principal.id)), {
              tie: tieTo(member, me.principal.id),
            })}
          >
            {t.vouch}
          </ActionButton>
        )}
        <ActionButton
          permission="member:manage"
          onClick={() => setStep('remove')}
          disabledReason={memberRefusalText(whyNotRemove(facts))}
        >
          {t.remove}
        </ActionButton>
      </div>
    </Dialog>
  )
}
