'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import type { Secret } from '#lib/schemas/secrets.ts'

type EndRecordProps = { record: Secret; noun: 'API key' | 'secret'; onClose: () => void }

/** Revokes an API key or a secret permanently, after the person has typed its name. */
export function RevokeRecord({ record, noun, onClose }: EndRecordProps) {
  const { client } = useApi()
  const notice = useNotice()
  const [typed, setTyped] = useState('')
  const act = useAct({
    send: client.secrets.revoke.mutate,
    touches: ['secrets'],
    onDone: () => {
      notice(`${record.name} is revoked.`)
      onClose()
    },
  })
  return (
    <ActDialog
      title={`Revoke ${record.name}`}
      description={`The ${noun} stops working from the next request on and can’t be restored. If it is still needed, create a new one.`}
      label={`Revoke the ${noun}`}
      busyLabel={`Revoking the ${noun}…`}
      missing={typed.trim() === record.name ? undefined : 'Type the name exactly as it appears in the list.'}
      act={act}
      onRun={() => act.run({ id: record.secretId })}
      onClose={onClose}
    >
      <TextField
        label={`Name of the ${noun}`}
        hint={`Type ${record.name} to confirm.`}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
    </ActDialog>
  )
}

/** Archives a record: it leaves the list, but its history remains. */
export function ArchiveRecord({ record, noun, onClose }: EndRecordProps) {
  const { client } = useApi()
  const notice = useNotice()
  const act = useAct({
    send: client.secrets.archive.mutate,
    touches: ['secrets'],
    onDone: () => {
      notice(`${record.name} is archived.`)
      onClose()
    },
  })
  return (
    <ActDialog
      title={`Archive ${record.name}`}
      description={
        record.status === 'active'
          ? `The ${noun} stops working, its value is deleted, and it is removed from the list. This can’t be undone. Its name, dates and audit records are kept.`
          : `It is removed from the list. This can’t be undone. Its name, dates and audit records are kept.`
      }
      label={`Archive the ${noun}`}
      busyLabel={`Archiving the ${noun}…`}
      act={act}
      onRun={() => act.run({ id: record.secretId })}
      onClose={onClose}
    />
  )
}
