'use client'

import { useState } from 'react'
import { type Expiry, ExpiryField, expiryOf } from '#components/access/expiry-field.tsx'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import * as t from '#components/texts/access-keys/en.ts'
import { TextArea, TextField } from '#components/ui/controls/text-field.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import { limits } from '#lib/limits.ts'
import { maxValueBytes } from '#lib/rules/secrets.ts'
import { DestinationsField, destinationsIn, whyNotDestinations } from './destinations-field.tsx'

/** Sends a value to the server, which encrypts it. */
export function CreateSecret({ onClose }: { onClose: () => void }) {
  const { client } = useApi()
  const notice = useNotice()
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const [destinations, setDestinations] = useState('')
  const [expiry, setExpiry] = useState<Expiry>(() => expiryOf('never', Date.now()))
  const act = useAct({
    send: client.secrets.create.mutate,
    touches: ['secrets'],
    onDone: ({ secret }) => {
      notice(t.secretWasCreated({ secret: secret.name }))
      onClose()
    },
  })
  return (
    <ActDialog
      title={t.createSecret}
      description={t.valueIsEncryptedBefore}
      label={t.createThe}
      busyLabel={t.encryptingSecret}
      missing={whyNot(name, value) ?? whyNotDestinations(destinations)}
      act={act}
      onRun={() => {
        const to = destinationsIn(destinations)
        act.run({
          name: name.trim(),
          value,
          ...(expiry.at === undefined ? {} : { expiresAt: expiry.at }),
          ...(to === undefined ? {} : { destinations: to }),
        })
      }}
      onClose={onClose}
    >
      <TextField
        label={t.name}
        hint={t.manifestsReferToSecret}
        value={name}
        onChange={(event) => setName(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
      <TextArea
        label={t.value}
        hint={t.storedExactlyAsEntered}
        value={value}
        onChange={(event) => setValue(event.target.value)}
        autoComplete="off"
        spellCheck={false}
        readOnly={act.pending}
        className="font-mono"
      />
      <DestinationsField value={destinations} onChange={setDestinations} readOnly={act.pending} />
      <ExpiryField value={expiry} onChange={setExpiry} />
    </ActDialog>
  )
}

function whyNot(name: string, value: string): string | undefined {
  if (name.trim() === '') return t.enterName
  if (name.trim().length > limits.secretName) return t.nameCanHaveAt({ secretName: limits.secretName })
  if (value === '') return t.enterValue
  if (new TextEncoder().encode(value).length > maxValueBytes)
    return t.valueTooLong({ limit: String(maxValueBytes / 1024) })
}
