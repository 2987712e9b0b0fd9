'use client'

import { useState } from 'react'
import { type Expiry, ExpiryField, expiryOf } from '#components/access/expiry-field.tsx'
import { accountRefusalText } from '#components/access/refusal-text.ts'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { usePages } from '#components/api/use-pages.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { SelectField } from '#components/forms/select-field.tsx'
import * as t from '#components/texts/access-machines/en.ts'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { limits } from '#lib/limits.ts'
import {
  type ConnectionUseName,
  connectionTokenDays,
  mostAgentsOfToken,
  whyNotAgents,
  whyNotConnect,
} from '#lib/rules/service-accounts.ts'
import type { ServiceAccount } from '#lib/schemas/service-accounts.ts'
import { type Answers, useTRPC } from '#lib/trpc.ts'
import { NewToken } from './new-token.tsx'
import { USES } from './reach.tsx'

type Created = Answers['connectionTokens']['create']

const OFFERED: { value: ConnectionUseName; label: string }[] = [
  { value: 'telemetry', label: USES.telemetry },
  { value: 'gateway', label: USES.gateway },
  { value: 'scim', label: USES.scim },
]
/** A token for SCIM does not concern agents. */
const AGENT_HINTS: Record<Exclude<ConnectionUseName, 'scim'>, string> = {
  telemetry: t.namesOfAgentsSeparated,
  gateway: t.namesOfRegisteredAgents,
}

/** Creates a token from a form, and shows it once. */
export function CreateToken({ onClose }: { onClose: () => void }) {
  const { client } = useApi()
  const trpc = useTRPC()
  const accounts = usePages(trpc.serviceAccounts.list, { limit: limits.pageRows }).items
  const [created, setCreated] = useState<Created>()
  const [name, setName] = useState('')
  const [use, setUse] = useState<ConnectionUseName>('telemetry')
  const [accountId, setAccountId] = useState('')
  const [agentNames, setAgentNames] = useState('')
  const [expiry, setExpiry] = useState<Expiry>(() => expiryOf(String(connectionTokenDays.usual), Date.now()))
  const act = useAct({
    send: client.connectionTokens.create.mutate,
    touches: ['connectionTokens', 'serviceAccounts'],
    onDone: setCreated,
  })
  if (created !== undefined) return <NewToken created={created} onClose={onClose} />
  const listed = [
    ...new Set(
      agentNames
        .split(',')
        .map((agent) => agent.trim())
        .filter((agent) => agent !== ''),
    ),
  ]
  const agents = use === 'scim' || listed.length === 0 ? undefined : listed
  const account = accounts?.find(({ id }) => id === accountId)
  return (
    <ActDialog
      title={t.createConnectionToken}
      description={t.tokenIsShownOnce}
      label={t.createToken}
      busyLabel={t.creatingToken}
      missing={whyNot({ name, use, agents, account })}
      act={act}
      onRun={() =>
        act.run({
          name: name.trim(),
          serviceAccountId: accountId,
          use,
          ...(agents === undefined ? {} : { agents }),
          ...(expiry.at === undefined ? {} : { expiresAt: expiry.at }),
        })
      }
      onClose={onClose}
    >
      <TextField
        label={t.name}
        hint={t.nameProgramThatUses}
        value={name}
        onChange={(event) => setName(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
      <SelectField
        label={t.connectionFor}
        value={use}
        onChange={(value) => setUse(OFFERED.find((one) => one.value === value)?.value ?? 'telemetry')}
        options={OFFERED}
        placeholder={t.choosePurpose}
        hint={t.tokenReachesNothingElse}
      />
      <SelectField
        label={t.serviceAccount}
        value={accountId}
        onChange={setAccountId}
        options={(accounts ?? [])
          .filter(({ status }) => status === 'active')
          .map(({ id, name: label }) => ({ value: id, label }))}
        placeholder={accounts === undefined ? t.loadingServiceAccounts : t.chooseServiceAccount}
        hint={t.tokenActsInIts}
      />
      {use !== 'scim' && (
        <TextField
          label={t.agents}
          hint={AGENT_HINTS[use]}
          value={agentNames}
          onChange={(event) => setAgentNames(event.target.value)}
          autoComplete="off"
          readOnly={act.pending}
        />
      )}
      <ExpiryField value={expiry} onChange={setExpiry} always />
    </ActDialog>
  )
}

type Draft = {
  name: string
  use: ConnectionUseName
  agents: string[] | undefined
  account: ServiceAccount | undefined
}

function whyNot({ name, use, agents, account }: Draft): string | undefined {
  if (name.trim() === '') return t.enterName
  if (name.trim().length > limits.secretName) return t.nameTooLong({ secretName: limits.secretName })
  if (account === undefined) return t.chooseA
  if (use === 'gateway' && agents === undefined) return t.nameAtLeastOne
  if (agents !== undefined && agents.length > mostAgentsOfToken) return t.tokenCanNameAt({ mostAgentsOfToken })
  return accountRefusalText(whyNotAgents(use, agents) ?? whyNotConnect(use, account.roles))
}
