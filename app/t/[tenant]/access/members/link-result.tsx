'use client'

import { roleName } from '#components/access/permission-texts.ts'
import { ShownOnce } from '#components/access/shown-once.tsx'
import { Proposed } from '#components/forms/proposed.tsx'
import * as t from '#components/texts/access-members/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { Answers } from '#lib/trpc.ts'
import { handoverOf, linkNoticeText } from './link-notice-text.ts'

type LinkResultProps = {
  title: string
  result: Answers['members']['invite']
  /** Names of the passkeys that a reset removed. */
  removed?: readonly string[]
  /** What to do if the response with the link was lost. */
  lost: string
  onClose: () => void
}

/** The result of an invitation or a reset: a one-time link, a sent mail, or a request that waits for approval. */
export function LinkResult({ title, result, removed = [], lost, onClose }: LinkResultProps) {
  const { inviteUrl, expiresAt, change, member } = result
  const handover = handoverOf(result)
  const waits = change !== null && (
    <Proposed
      what={
        member.pendingRoles.length === 0
          ? t.requestWaitsForApproval
          : t.forWaitingForApproval({ roles: member.pendingRoles.map(roleName).join(', '), member: member.displayName })
      }
      approvalId={change.approvalId}
    />
  )
  const until = expiresAt !== null && (
    <KeyValues>
      <KeyValue name={t.userName}>{member.username}</KeyValue>
      <KeyValue name={t.linkExpires}>
        <Time at={expiresAt} />
      </KeyValue>
      {removed.length > 0 && (
        <KeyValue name={t.passkeysRemoved}>
          <ShownText>{removed.join(', ')}</ShownText>
        </KeyValue>
      )}
    </KeyValues>
  )
  if (handover === 'shown' || handover === 'lost')
    return (
      <ShownOnce
        title={title}
        description={linkNoticeText(result)}
        noun={t.oneTimeLink}
        value={inviteUrl ?? undefined}
        confirm={t.iHaveLink}
        lost={lost}
        onClose={onClose}
      >
        {until}
        {waits}
      </ShownOnce>
    )
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={title}
      description={linkNoticeText(result)}
      actions={<Button onClick={onClose}>{t.close}</Button>}
    >
      {until}
      {waits}
    </Dialog>
  )
}
