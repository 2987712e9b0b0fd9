'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { registerPasskey } from '#components/passkeys/ceremony.ts'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import { limits } from '#lib/limits.ts'

/** Registers a passkey that the device creates. An existing passkey has to confirm it. */
export function AddPasskey({ onClose }: { onClose: () => void }) {
  const { client } = useApi()
  const notice = useNotice()
  const [name, setName] = useState('')
  const act = useAct({
    send: (wanted: string) => registerPasskey(client, wanted),
    touches: ['passkeys', 'approvals'],
    onDone: ({ passkey }) => {
      notice(`The passkey ${passkey.name} was added.`)
      onClose()
    },
  })
  const wanted = name.trim()
  return (
    <ActDialog
      title="Add a passkey"
      description="Your device creates the passkey and keeps its private key. Countersign stores only the public key. If you already have a passkey, you confirm with it first."
      label="Add the passkey"
      busyLabel="Waiting for your device…"
      missing={
        wanted === ''
          ? 'Enter a name.'
          : wanted.length > limits.passkeyName
            ? `A name can have at most ${limits.passkeyName} characters.`
            : undefined
      }
      act={act}
      onRun={() => act.run(wanted)}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="Choose a name that you will recognise, such as “Laptop” or “Blue security key”."
        value={name}
        onChange={(event) => setName(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
    </ActDialog>
  )
}
