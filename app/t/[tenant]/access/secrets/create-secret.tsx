'use client'

import { useState } from 'react'
import { type Expiry, ExpiryField, expiryOf } from '#components/access/expiry-field.tsx'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { TextArea, TextField } from '#components/ui/controls/text-field.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import { limits } from '#lib/limits.ts'
import { maxValueBytes } from '#lib/rules/secrets.ts'

/** Sends a value to the server, which encrypts it. */
export function CreateSecret({ onClose }: { onClose: () => void }) {
  const { client } = useApi()
  const notice = useNotice()
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const [expiry, setExpiry] = useState<Expiry>(() => expiryOf('never', Date.now()))
  const act = useAct({
    send: client.secrets.create.mutate,
    touches: ['secrets'],
    onDone: ({ secret }) => {
      notice(`The secret ${secret.name} was created.`)
      onClose()
    },
  })
  return (
    <ActDialog
      title="Create a secret"
      description="The value is encrypted before it is stored. Members with permission to read values can read it later."
      label="Create the secret"
      busyLabel="Encrypting the secret…"
      missing={whyNot(name, value)}
      act={act}
      onRun={() => act.run({ name: name.trim(), value, ...(expiry.at === undefined ? {} : { expiresAt: expiry.at }) })}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="Manifests refer to the secret by this name. Only one active secret can have it."
        value={name}
        onChange={(event) => setName(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
      <TextArea
        label="Value"
        hint="Stored exactly as entered, including spaces and line breaks."
        value={value}
        onChange={(event) => setValue(event.target.value)}
        autoComplete="off"
        spellCheck={false}
        readOnly={act.pending}
        className="font-mono"
      />
      <ExpiryField value={expiry} onChange={setExpiry} />
    </ActDialog>
  )
}

function whyNot(name: string, value: string): string | undefined {
  if (name.trim() === '') return 'Enter a name.'
  if (name.trim().length > limits.secretName) return `A name can have at most ${limits.secretName} characters.`
  if (value === '') return 'Enter a value.'
  if (new TextEncoder().encode(value).length > maxValueBytes)
    return `A value can have at most ${maxValueBytes / 1024} KiB.`
}
