'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import * as t from '#components/texts/access-keys/en.ts'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import type { Secret } from '#lib/schemas/secrets.ts'

type EndRecordProps = { record: Secret; kind: 'key' | 'secret'; onClose: () => void }

/** Revokes an API key or a secret permanently, after the person has typed its name. */
export function RevokeRecord({ record, kind, onClose }: EndRecordProps) {
  const { client } = useApi()
  const notice = useNotice()
  const [typed, setTyped] = useState('')
  const act = useAct({
    send: client.secrets.revoke.mutate,
    touches: ['secrets'],
    onDone: () => {
      notice(t.isRevoked({ record: record.name }))
      onClose()
    },
  })
  return (
    <ActDialog
      title={t.revokeNamed({ record: record.name })}
      description={t.stopsWorkingFromNext({ kind })}
      label={t.revokeThe({ kind })}
      busyLabel={kind === 'key' ? t.revokingKey : t.revokingSecret}
      missing={typed.trim() === record.name ? undefined : t.typeNameExactlyAs}
      act={act}
      onRun={() => act.run({ id: record.secretId })}
      onClose={onClose}
    >
      <TextField
        label={t.nameOf({ kind })}
        hint={t.typeToConfirm({ record: record.name })}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        autoComplete="off"
        readOnly={act.pending}
      />
    </ActDialog>
  )
}

/** Archives a record: it leaves the list, but its history remains. */
export function ArchiveRecord({ record, kind, onClose }: EndRecordProps) {
  const { client } = useApi()
  const notice = useNotice()
  const act = useAct({
    send: client.secrets.archive.mutate,
    touches: ['secrets'],
    onDone: () => {
      notice(t.isArchived({ record: record.name }))
      onClose()
    },
  })
  return (
    <ActDialog
      title={t.archiveNamed({ record: record.name })}
      description={record.status === 'active' ? t.stopsWorkingItsValue({ kind }) : t.itIsRemovedFrom}
      label={t.archiveThe({ kind })}
      busyLabel={kind === 'key' ? t.archivingKey : t.archivingSecret}
      act={act}
      onRun={() => act.run({ id: record.secretId })}
      onClose={onClose}
    />
  )
}
