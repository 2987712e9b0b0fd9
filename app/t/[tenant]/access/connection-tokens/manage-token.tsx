'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { ActionButton } from '#components/navigation/action-button.tsx'
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
      description="A connection token. The token itself was shown once and is not stored."
    >
      <KeyValues>
        <KeyValue name="State">
          <TokenStatus status={token.status} />
        </KeyValue>
        <KeyValue name="For">
          <Reach use={token.use} agents={token.agents} />
        </KeyValue>
        <KeyValue name="Service account">
          <ShownText>{token.serviceAccount.displayName}</ShownText>
        </KeyValue>
        <KeyValue name="Last used">{token.lastUsedAt === null ? 'Never' : <Time at={token.lastUsedAt} />}</KeyValue>
        <KeyValue name="Created">
          <Time at={token.createdAt} /> by <ShownText>{token.createdBy.displayName}</ShownText>
        </KeyValue>
        <KeyValue name="Expires">
          <Time at={token.expiresAt} />
        </KeyValue>
        {token.revokedAt !== null && (
          <KeyValue name="Revoked">
            <Time at={token.revokedAt} />
          </KeyValue>
        )}
        <KeyValue name="Token ID">
          <Copyable value={token.id} label="token ID" />
        </KeyValue>
      </KeyValues>
      <div className="flex flex-wrap items-start gap-3">
        <ActionButton
          permission="service-account:manage"
          onClick={() => setRevoking(true)}
          disabledReason={whyNotRevoke(token)}
        >
          Revoke
        </ActionButton>
      </div>
    </Dialog>
  )
}

const whyNotRevoke = ({ status }: ConnectionToken): string | undefined =>
  status === 'revoked' || status === 'expired' ? `Already ${status}.` : undefined

/** Revokes a token permanently, after the person has typed its name. */
function RevokeToken({ token, onClose }: Manage) {
  const { client } = useApi()
  const notice = useNotice()
  const [typed, setTyped] = useState('')
  const act = useAct({
    send: client.connectionTokens.revoke.mutate,
    touches: ['connectionTokens'],
    onDone: () => {
      notice(`${token.name} is revoked.`)
      onClose()
    },
  })
  return (
    <ActDialog
      title={`Revoke ${token.name}`}
      description="The token stops working from the next request on and can’t be restored. If it is still needed, create a new one."
      label="Revoke the token"
      busyLabel="Revoking the token…"
      missing={typed.trim() === token.name ? undefined : 'Type the name exactly as it appears in the list.'}
      act={act}
      onRun={() => act.run({ id: token.id })}
      onClose={onClose}
    >
      <TextField
        label="Name of the token"
        hint={`Type ${token.name} to confirm.`}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
    </ActDialog>
  )
}
