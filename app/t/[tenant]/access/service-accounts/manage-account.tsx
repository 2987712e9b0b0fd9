'use client'

import { useState } from 'react'
import { roleName } from '#components/access/permission-texts.ts'
import { accountRefusalText } from '#components/access/refusal-text.ts'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { ActionButton } from '#components/navigation/action-button.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { whyNotRotate } from '#lib/rules/service-accounts.ts'
import type { ServiceAccount } from '#lib/schemas/service-accounts.ts'
import { AccountStatus } from './account-status.tsx'
import { LiveSecrets } from './live-secrets.tsx'
import { RotateSecret } from './rotate-secret.tsx'

type Manage = { account: ServiceAccount; onClose: () => void }

/** Shows one account: its sponsors and secrets, and the actions that rotate a secret or disable the account. */
export function ManageAccount({ account, onClose }: Manage) {
  const { me } = useSession()
  const [step, setStep] = useState<'facts' | 'rotate' | 'switch'>('facts')
  if (step === 'rotate') return <RotateSecret account={account} onClose={onClose} />
  if (step === 'switch') return <Switch account={account} onClose={onClose} />
  const disabled = account.status === 'disabled'
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={account.name}
      description="A service account. It acts in its own name, within its roles."
    >
      <KeyValues>
        <KeyValue name="Client ID">
          <Copyable value={account.clientId} label="client ID" />
        </KeyValue>
        <KeyValue name="State">
          <AccountStatus status={account.status} />
        </KeyValue>
        <KeyValue name="Roles">{account.roles.map(roleName).join(', ')}</KeyValue>
        <KeyValue name="Valid secrets">
          <LiveSecrets secrets={account.secrets} />
        </KeyValue>
        <KeyValue name="Responsible people">
          <ShownText>{sponsorText(account)}</ShownText>
        </KeyValue>
        <KeyValue name="Created">
          <Time at={account.createdAt} />
        </KeyValue>
        <KeyValue name="Last used">{account.lastUsedAt === null ? 'Never' : <Time at={account.lastUsedAt} />}</KeyValue>
      </KeyValues>
      <div className="flex flex-wrap items-start gap-3">
        <ActionButton
          permission="service-account:manage"
          onClick={() => setStep('rotate')}
          disabledReason={
            disabled
              ? 'This account is disabled. Enable it first.'
              : accountRefusalText(whyNotRotate(account.roles, me.principal.roles))
          }
        >
          Rotate the secret
        </ActionButton>
        <ActionButton permission="service-account:manage" onClick={() => setStep('switch')}>
          {disabled ? 'Enable' : 'Disable'}
        </ActionButton>
      </div>
    </Dialog>
  )
}

function Switch({ account, onClose }: Manage) {
  const { client } = useApi()
  const notice = useNotice()
  const off = account.status === 'active'
  const act = useAct({
    send: off ? client.serviceAccounts.disable.mutate : client.serviceAccounts.enable.mutate,
    touches: ['serviceAccounts', 'members'],
    onDone: ({ status }) => {
      notice(`${account.name} is ${status === 'active' ? 'enabled' : 'disabled'}.`)
      onClose()
    },
  })
  return (
    <ActDialog
      title={`${off ? 'Disable' : 'Enable'} ${account.name}`}
      description={
        off
          ? 'The account can’t obtain new tokens, its existing tokens are refused from the next request on, and its connection tokens are revoked permanently. You can enable the account again.'
          : 'The account can sign in again with its secrets that haven’t expired.'
      }
      label={off ? 'Disable the account' : 'Enable the account'}
      busyLabel={off ? 'Disabling the account…' : 'Enabling the account…'}
      act={act}
      onRun={() => act.run({ clientId: account.clientId })}
      onClose={onClose}
    />
  )
}

const LINKS = {
  created: 'created it',
  rotated: 'rotated its secret',
  token: 'created a connection token for it',
} as const

/** "Maria Köhler created it; Tom Okafor rotated its secret". */
function sponsorText({ sponsors }: ServiceAccount): string {
  if (sponsors.length === 0) return 'None: the operator created it'
  return sponsors.map(({ person, link }) => `${person.displayName} ${LINKS[link]}`).join('; ')
}
