'use client'

import { useState } from 'react'
import { ArchiveRecord, RevokeRecord } from '#components/access/end-record.tsx'
import { RecordFacts } from '#components/access/record-facts.tsx'
import { archiveRefusalText, revokeRefusalText } from '#components/access/refusal-text.ts'
import { ShownValue } from '#components/access/shown-value.tsx'
import { useApi } from '#components/api/api.tsx'
import { useAct } from '#components/api/use-act.ts'
import { ActFailed } from '#components/forms/act-failed.tsx'
import { ActionButton } from '#components/navigation/action-button.tsx'
import * as t from '#components/texts/access-keys/en.ts'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import type { Secret } from '#lib/schemas/secrets.ts'
import { BindSecret } from './bind-secret.tsx'
import { Destinations } from './destinations.tsx'

/** Shows one secret, its value for those who have permission to read it, and the actions that revoke or archive it. */
export function ManageSecret({ record, onClose }: { record: Secret; onClose: () => void }) {
  const [step, setStep] = useState<'facts' | 'bind' | 'revoke' | 'archive'>('facts')
  if (step === 'bind') return <BindSecret record={record} onClose={onClose} />
  if (step === 'revoke') return <RevokeRecord record={record} kind="secret" onClose={onClose} />
  if (step === 'archive') return <ArchiveRecord record={record} kind="secret" onClose={onClose} />
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={record.name} description={t.secretItsValueIs}>
      <KeyValues>
        <RecordFacts record={record} />
        <KeyValue name={t.destinations}>
          <Destinations of={record} />
        </KeyValue>
      </KeyValues>
      <Value record={record} />
      <div className="flex flex-wrap items-start gap-3 border-line border-t pt-4">
        <ActionButton
          permission="secret:create"
          onClick={() => setStep('bind')}
          disabledReason={record.status === 'active' ? undefined : t.thisSecretIsNotSent({ status: record.status })}
        >
          {t.changeDestinations}
        </ActionButton>
        <ActionButton
          permission="secret:revoke"
          onClick={() => setStep('revoke')}
          disabledReason={revokeRefusalText(record)}
        >
          {t.revoke}
        </ActionButton>
        <ActionButton
          permission="secret:revoke"
          onClick={() => setStep('archive')}
          disabledReason={
            archiveRefusalText(record) ?? (record.status === 'archived' ? t.thisSecretIsAlready : undefined)
          }
        >
          {t.archive}
        </ActionButton>
      </div>
    </Dialog>
  )
}

/** Only this component's state contains the value, so closing the dialog discards it. */
function Value({ record }: { record: Secret }) {
  const { client } = useApi()
  const [value, setValue] = useState<string>()
  const act = useAct({
    send: (id: string) => client.secrets.get.query({ id, includeValue: true }),
    touches: [],
    onDone: (answer) => setValue(answer.value),
  })
  if (value !== undefined) return <ShownValue noun={t.valueNoun} value={value} />
  return (
    <>
      <div>
        <ActionButton
          permission="secret:read_value"
          onClick={() => act.run(record.secretId)}
          disabledReason={
            act.pending
              ? t.loadingValue
              : record.status === 'active'
                ? undefined
                : t.thisSecretIsSo({ status: record.status })
          }
        >
          {t.readValue}
        </ActionButton>
      </div>
      {act.failure !== undefined && <ActFailed failure={act.failure} />}
    </>
  )
}
