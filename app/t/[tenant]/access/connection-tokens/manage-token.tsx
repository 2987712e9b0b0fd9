'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { shownText } from '#components/language/shown-text.tsx'
import { ActionButton } from '#components/navigation/action-button.tsx'
import * as t from '#components/texts/access-machines/en.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { ConnectionToken } from '#lib/schemas/connection-tokens.ts'
import { Reach } from './reach.tsx'
import { TokenStatus } from './token-status.tsx'

type Manage = { token: ConnectionToken; onClose: () => void }

/** Shows one token: what it is for, and the action that revokes it. */
export function ManageToken({ token, onClose }: Manage) {
  const [revoking, setRevoking] = useState(false)
  if (revoking) return <RevokeToken token={token} onClose={onClose} />
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={token.name}
      description={t.connectionTokenTokenItself}
    >
      <KeyValues>
        <KeyValue name={t.state}>
          <TokenStatus status={token.status} />
        </KeyValue>
        <KeyValue name={t.connectionFor}>
          <Reach use={token.use} agents={token.agents} />
        </KeyValue>
        <KeyValue name={t.serviceAccount}>
          <ShownText>{token.serviceAccount.displayName}</ShownText>
        </KeyValue>
        <KeyValue name={t.lastUsed}>{token.lastUsedAt === null ? t.never : <Time at={token.lastUsedAt} />}</KeyValue>
        <KeyValue name={t.created}>
          {t.timeBy({
            at: () => <Time at={token.createdAt} />,
            createdBy: token.createdBy.displayName,
            shown: shownText,
          })}
        </KeyValue>
        <KeyValue name={t.expires}>
          <Time at={token.expiresAt} />
        </KeyValue>
        {token.revokedAt !== null && (
          <KeyValue name={t.revoked}>
            <Time at={token.revokedAt} />
          </KeyValue>
        )}
        <KeyValue name={t.tokenId}>
          <Copyable value={token.id} label={t.tokenIdInSentence} />
        </KeyValue>
      </KeyValues>
      <div className="flex flex-wrap items-start gap-3">
        <ActionButton
          permission="service-account:manage"
          onClick={() => setRevoking(true)}
          disabledReason={whyNotRevoke(token)}
        >
          {t.revoke}
        </ActionButton>
      </div>
    </Dialog>
  )
}

const whyNotRevoke = ({ status }: ConnectionToken): string | undefined =>
  status === 'revoked' || status === 'expired' ? t.already({ status }) : undefined

/** Revokes a token permanently, after the person has typed its name. */
function RevokeToken({ token, onClose }: Manage) {
  const { client } = useApi()
  const notice = useNotice()
  const [typed, setTyped] = useState('')
  const act = useAct({
    send: client.connectionTokens.revoke.mutate,
    touches: ['connectionTokens'],
    onDone: () => {
      notice(t.isRevoked({ token: token.name }))
      onClose()
    },
  })
  return (
    <ActDialog
      title={t.revokeNamed({ token: token.name })}
      description={t.tokenStopsWorkingFrom}
      label={t.revokeToken}
      busyLabel={t.revokingToken}
      missing={typed.trim() === token.name ? undefined : t.typeNameExactlyAs}
      act={act}
      onRun={() => act.run({ id: token.id })}
      onClose={onClose}
    >
      <TextField
        label={t.nameOfToken}
        hint={t.typeToConfirm({ token: token.name })}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
    </ActDialog>
  )
}
