'use client'

import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { confirmWithPasskey } from '#components/passkeys/ceremony.ts'
import * as t from '#components/texts/settings-me/en.ts'
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
      notice(t.passkeyWasRemoved({ passkey: passkey.name }))
      onClose()
    },
  })
  return (
    <ActDialog
      title={t.removeThe}
      description={t.youCanNoLonger({ passkey: passkey.name })}
      label={t.removeThe}
      busyLabel={t.waitingForYourPasskey}
      act={act}
      onRun={() => act.run(passkey.id)}
      onClose={onClose}
    />
  )
}
