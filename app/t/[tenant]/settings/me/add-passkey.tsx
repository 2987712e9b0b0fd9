'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { registerPasskey } from '#components/passkeys/ceremony.ts'
import * as t from '#components/texts/settings-me/en.ts'
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
      notice(t.passkeyWasAdded({ passkey: passkey.name }))
      onClose()
    },
  })
  const wanted = name.trim()
  return (
    <ActDialog
      title={t.addPasskey}
      description={t.yourDeviceCreatesPasskey}
      label={t.addThe}
      busyLabel={t.waitingForYourDevice}
      missing={
        wanted === ''
          ? t.enterName
          : wanted.length > limits.passkeyName
            ? t.nameCanHaveAt({ passkeyName: limits.passkeyName })
            : undefined
      }
      act={act}
      onRun={() => act.run(wanted)}
      onClose={onClose}
    >
      <TextField
        label={t.name}
        hint={t.chooseNameThatYou}
        value={name}
        onChange={(event) => setName(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
    </ActDialog>
  )
}
