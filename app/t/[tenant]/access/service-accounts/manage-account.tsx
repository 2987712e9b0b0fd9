'use client'

import { useState } from 'react'
import { roleName } from '#components/access/permission-texts.ts'
import { accountRefusalText } from '#components/access/refusal-text.ts'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { ActionButton } from '#components/navigation/action-button.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/access-machines/en.ts'
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
    <Dialog open onOpenChange={(open) => open || onClose()} title={account.name} description={t.serviceAccountItActs}>
      <KeyValues>
        <KeyValue name={t.clientId}>
          <Copyable value={account.clientId} label={t.clientIdInSentence} />
        </KeyValue>
        <KeyValue name={t.state}>
          <AccountStatus status={account.status} />
        </KeyValue>
        <KeyValue name={t.roles}>{account.roles.map(roleName).join(', ')}</KeyValue>
        <KeyValue name={t.validSecrets}>
          <LiveSecrets secrets={account.secrets} />
        </KeyValue>
        <KeyValue name={t.responsiblePeople}>
          <ShownText>{sponsorText(account)}</ShownText>
        </KeyValue>
        <KeyValue name={t.created}>
          <Time at={account.createdAt} />
        </KeyValue>
        <KeyValue name={t.lastUsed}>
          {account.lastUsedAt === null ? t.never : <Time at={account.lastUsedAt} />}
        </KeyValue>
      </KeyValues>
      <div className="flex flex-wrap items-start gap-3">
        <ActionButton
          permission="service-account:manage"
          onClick={() => setStep('rotate')}
          disabledReason={
            disabled ? t.thisAccountIsDisabled : accountRefusalText(whyNotRotate(account.roles, me.principal.roles))
          }
        >
          {t.rotateSecret}
        </ActionButton>
        <ActionButton permission="service-account:manage" onClick={() => setStep('switch')}>
          {disabled ? t.enable : t.disable}
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
      notice(t.isDisabled({ account: account.name, status }))
      onClose()
    },
  })
  return (
    <ActDialog
      title={off ? t.disableNamed({ account: account.name }) : t.enableNamed({ account: account.name })}
      description={off ? t.accountCantObtainNew : t.accountCanSignIn}
      label={off ? t.disableAccount : t.enableAccount}
      busyLabel={off ? t.disablingAccount : t.enablingAccount}
      act={act}
      onRun={() => act.run({ clientId: account.clientId })}
      onClose={onClose}
    />
  )
}

const LINKS = {
  created: t.createdIt,
  rotated: t.rotatedItsSecret,
  token: t.createdConnectionTokenFor,
} as const

/** "Maria Köhler created it; Tom Okafor rotated its secret". */
function sponsorText({ sponsors }: ServiceAccount): string {
  if (sponsors.length === 0) return t.noneOperatorCreatedIt
  return sponsors.map(({ person, link }) => `${person.displayName} ${LINKS[link]}`).join('; ')
}
