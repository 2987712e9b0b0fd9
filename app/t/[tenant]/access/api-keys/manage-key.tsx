'use client'

import { useState } from 'react'
import { ArchiveRecord, RevokeRecord } from '#components/access/end-record.tsx'
import { RecordFacts } from '#components/access/record-facts.tsx'
import { archiveRefusalText, revokeRefusalText } from '#components/access/refusal-text.ts'
import { ActionButton } from '#components/navigation/action-button.tsx'
import * as t from '#components/texts/access-keys/en.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { Secret } from '#lib/schemas/secrets.ts'
import { Granted } from './granted.tsx'

/** Shows one key: what it grants, and the actions that revoke or archive it. */
export function ManageKey({ record, onClose }: { record: Secret; onClose: () => void }) {
  const [step, setStep] = useState<'facts' | 'revoke' | 'archive'>('facts')
  if (step === 'revoke') return <RevokeRecord record={record} kind="key" onClose={onClose} />
  if (step === 'archive') return <ArchiveRecord record={record} kind="key" onClose={onClose} />
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={record.name} description={t.apiKeyKeyItself}>
      <KeyValues>
        <KeyValue name={t.scopes}>
          <Granted scopes={record.apiKey?.permissions ?? []} />
        </KeyValue>
        <KeyValue name={t.lastUsed}>{record.lastUsedAt === null ? t.never : <Time at={record.lastUsedAt} />}</KeyValue>
        <RecordFacts record={record} />
        {record.apiKey !== null && (
          <KeyValue name={t.keyId}>
            <Copyable value={record.apiKey.id} label={t.keyIdInSentence} />
          </KeyValue>
        )}
      </KeyValues>
      <div className="flex flex-wrap items-start gap-3">
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
          disabledReason={archiveRefusalText(record) ?? (record.status === 'archived' ? t.thisKeyIsAlready : undefined)}
        >
          {t.archive}
        </ActionButton>
      </div>
    </Dialog>
  )
}
