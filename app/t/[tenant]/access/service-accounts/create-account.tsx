'use client'

import { useState } from 'react'
import { accountRefusalText } from '#components/access/refusal-text.ts'
import { RoleBoxes } from '#components/access/role-boxes.tsx'
import { useChoice } from '#components/access/use-choice.ts'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import * as t from '#components/texts/access-machines/en.ts'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { limits } from '#lib/limits.ts'
import { type Role, roleNames } from '#lib/permissions.ts'
import { clientIdOf, whyNotCreate } from '#lib/rules/service-accounts.ts'
import type { Answers } from '#lib/trpc.ts'
import { NewSecret } from './new-secret.tsx'

type Created = Answers['serviceAccounts']['create']

/** Creates an account and shows its first secret once. */
export function CreateAccount({ onClose }: { onClose: () => void }) {
  const { client } = useApi()
  const [created, setCreated] = useState<Created>()
  const [name, setName] = useState('')
  const { chosen, choose } = useChoice<Role>([])
  const act = useAct({
    send: client.serviceAccounts.create.mutate,
    touches: ['serviceAccounts', 'members'],
    onDone: setCreated,
  })
  if (created !== undefined)
    return (
      <NewSecret
        title={t.theServiceAccount({ created: created.name })}
        clientId={created.clientId}
        secret={created.clientSecret}
        onClose={onClose}
      />
    )
  const roles = roleNames.filter((role) => chosen.has(role))
  const id = clientIdOf(name)
  return (
    <ActDialog
      title={t.createServiceAccount}
      description={t.itsSecretIsShown}
      label={t.createAccount}
      busyLabel={t.creatingAccount}
      missing={whyNot(name, roles)}
      act={act}
      onRun={() => act.run({ name: name.trim(), roles })}
      onClose={onClose}
    >
      <TextField
        label={t.name}
        hint={id === '' ? t.clientIdIsDerived : t.clientIdIsAnd({ id })}
        value={name}
        onChange={(event) => setName(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
      <RoleBoxes
        roles={roleNames}
        chosen={chosen}
        onChange={choose}
        whyNot={(role) => accountRefusalText(whyNotCreate([role]))}
        locked={act.pending}
      />
    </ActDialog>
  )
}

function whyNot(name: string, roles: Role[]): string | undefined {
  if (name.trim() === '') return t.enterName
  if (name.trim().length > limits.serviceAccountName)
    return t.nameCanHaveAt({ serviceAccountName: limits.serviceAccountName })
  if (roles.length === 0) return t.chooseAtLeastOne
}
