'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { registerPasskey } from '#components/passkeys/ceremony.ts'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import { limits } from '#lib/limits.ts'

/** Registers a passkey: the device makes it, a passkey that is there already confirms. */
export function AddPasskey({ onClose }: { onClose: () => void }) {
  const { client } = useApi()
  const notice = useNotice()
  const [name, setName] = useState('')
  const act = useAct({
    send: (wanted: string) => registerPasskey(client, wanted),
    touches: ['passkeys', 'approvals'],
    onDone: ({ passkey }) => {
      notice(`The passkey ${passkey.name} is yours.`)
      onClose()
    },
  })
  const wanted = name.trim()
  return (
    <ActDialog
      title="Add a passkey"
      description="Your device makes it and keeps its key; we get what its signatures are checked with. If you have a passkey already, it confirms first."
      label="Add it"
      busyLabel="Waiting for your device"
      done="added"
      missing={
        wanted === '' ? 'Give it a name.' : wanted.length > limits.passkeyName ? 'The name is too long.' : undefined
      }
      act={act}
      onRun={() => act.run(wanted)}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="By which you know it again: “Laptop”, “Blue security key”."
        value={name}
        onChange={(event) => setName(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
    </ActDialog>
  )
}
