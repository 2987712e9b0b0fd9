'use client'

import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { confirmWithPasskey } from '#components/passkeys/ceremony.ts'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import type { Passkey } from '#lib/schemas/passkeys.ts'

/** Takes a passkey away, confirmed by one of the person's. */
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
      notice(`The passkey ${passkey.name} is removed.`)
      onClose()
    },
  })
  return (
    <ActDialog
      title="Remove the passkey"
      description={`${passkey.name} confirms nothing any more. One of your passkeys has to agree, this one or another. If you have lost all of them, a tenant administrator resets your sign-in, which removes them.`}
      label="Remove it"
      busyLabel="Waiting for your passkey"
      done="removed"
      act={act}
      onRun={() => act.run(passkey.id)}
      onClose={onClose}
    />
  )
}
