'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActDialog } from '#components/forms/act-dialog.tsx'
import * as t from '#components/texts/access-keys/en.ts'
import { useNotice } from '#components/ui/feedback/live-notice.tsx'
import type { Secret } from '#lib/schemas/secrets.ts'
import { DestinationsField, destinationsIn, whyNotDestinations } from './destinations-field.tsx'

/** Changes the addresses that a secret may be sent to. */
export function BindSecret({ record, onClose }: { record: Secret; onClose: () => void }) {
  const { client } = useApi()
  const notice = useNotice()
  const [text, setText] = useState(() => (record.destinations ?? []).join('\n'))
  const act = useAct({
    send: client.secrets.setDestinations.mutate,
    touches: ['secrets'],
    onDone: () => {
      notice(t.destinationsWereChanged({ record: record.name }))
      onClose()
    },
  })
  return (
    <ActDialog
      title={t.destinationsOf({ record: record.name })}
      description={t.destinationsCountFromNext}
      label={t.changeDestinations}
      busyLabel={t.changingDestinations}
      missing={whyNotDestinations(text)}
      act={act}
      onRun={() =>
        act.run({
          id: record.secretId,
          destinations: destinationsIn(text) ?? null,
          expectedRevision: record.revision,
        })
      }
      onClose={onClose}
    >
      <DestinationsField value={text} onChange={setText} readOnly={act.pending} />
    </ActDialog>
  )
}
