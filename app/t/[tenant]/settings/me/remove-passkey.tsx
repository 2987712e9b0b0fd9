'use client'

import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { confirmWithPasskey } from '#components/passkeys/ceremony.ts'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import type { Passkey } from '#lib/schemas/passkeys.ts'

/** Removes a passkey after the person confirms with one of their passkeys. */
export function RemovePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const { client } = useApi()
  const notice = useNotice()
  const act = useAct({
    send: async (id: string) => {
      const confirmation = await confirmWithPasskey(client, { act: 'remove', passkeyId: id })
      return await client.passkeys.remove.mutate({ id, confirmation })
    },
    touches: ['passkeys', 'approvals'],
    onDone: () => {
      notice(`The passkey ${passkey.name} was removed.`)
      onClose()
    },
  })
  return (
    <ActDialog
      title="Remove the passkey"
      description={`You can no longer confirm approvals with ${passkey.name}. Confirm the removal with any of your passkeys. If you have lost all of them, ask a tenant administrator to reset your sign-in, which removes them.`}
      label="Remove the passkey"
      busyLabel="Waiting for your passkey…"
      act={act}
      onRun={() => act.run(passkey.id)}
      onClose={onClose}
    />
  )
}
