'use client'

import { useState } from 'react'
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
import { roleName } from '#lib/permission-texts.ts'
import { whyNotRotate } from '#lib/rules/service-accounts.ts'
import type { ServiceAccount } from '#lib/schemas/service-accounts.ts'
import { AccountStatus } from './account-status.tsx'
import { LiveSecrets } from './live-secrets.tsx'
import { RotateSecret } from './rotate-secret.tsx'

type Manage = { account: ServiceAccount; onClose: () => void }

/** One account: who is behind it, its secrets, and its switch. */
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
      description="A service account. What its roles allow, it does in its own name."
    >
      <KeyValues>
        <KeyValue name="Client id">
          <Copyable value={account.clientId} label="client id" />
        </KeyValue>
        <KeyValue name="State">
          <AccountStatus status={account.status} />
        </KeyValue>
        <KeyValue name="Roles">{account.roles.map(roleName).join(', ')}</KeyValue>
        <KeyValue name="Secrets that work">
          <LiveSecrets secrets={account.secrets} />
        </KeyValue>
        <KeyValue name="People behind it">
          <ShownText>{sponsorText(account)}</ShownText>
        </KeyValue>
        <KeyValue name="Made">
          <Time at={account.createdAt} />
        </KeyValue>
        <KeyValue name="Last used">{account.lastUsedAt === null ? 'Never' : <Time at={account.lastUsedAt} />}</KeyValue>
      </KeyValues>
      <div className="flex flex-wrap items-start gap-3">
        <ActionButton
          permission="service-account:manage"
          onClick={() => setStep('rotate')}
          disabledReason={
            disabled ? 'It is disabled. Enable it first.' : whyNotRotate(account.roles, me.principal.roles)
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
          ? 'It gets no new tokens, and those that it has are refused from the next request on. It can be enabled again.'
          : 'It can sign in again, with the secrets that have not ended meanwhile.'
      }
      label={off ? 'Disable the account' : 'Enable the account'}
      busyLabel={off ? 'Disabling the account' : 'Enabling the account'}
      done={off ? 'disabled' : 'enabled'}
      act={act}
      onRun={() => act.run({ clientId: account.clientId })}
      onClose={onClose}
    />
  )
}

/** "Maria Köhler created it; Tom Okafor rotated its secret". */
function sponsorText({ sponsors }: ServiceAccount): string {
  if (sponsors.length === 0) return 'Nobody: the operator made it'
  return sponsors
    .map(({ person, link }) => `${person.displayName} ${link === 'created' ? 'created it' : 'rotated its secret'}`)
    .join('; ')
}
