'use client'

import { useState } from 'react'
import { ArchiveRecord, RevokeRecord } from '#components/access/end-record.tsx'
import { RecordFacts } from '#components/access/record-facts.tsx'
import { archiveRefusalText, revokeRefusalText } from '#components/access/refusal-text.ts'
import { ActionButton } from '#components/navigation/action-button.tsx'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { Secret } from '#lib/schemas/secrets.ts'
import { Granted } from './granted.tsx'

/** Shows one key: what it grants, and the actions that revoke or archive it. */
export function ManageKey({ record, onClose }: { record: Secret; onClose: () => void }) {
  const [step, setStep] = useState<'facts' | 'revoke' | 'archive'>('facts')
  if (step === 'revoke') return <RevokeRecord record={record} noun="API key" onClose={onClose} />
  if (step === 'archive') return <ArchiveRecord record={record} noun="API key" onClose={onClose} />
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={record.name}
      description="An API key. The key itself was shown once and is not stored."
    >
      <KeyValues>
        <KeyValue name="Scopes">
          <Granted scopes={record.apiKey?.permissions ?? []} />
        </KeyValue>
        <KeyValue name="Last used">{record.lastUsedAt === null ? 'Never' : <Time at={record.lastUsedAt} />}</KeyValue>
        <RecordFacts record={record} />
        {record.apiKey !== null && (
          <KeyValue name="Key ID">
            <Copyable value={record.apiKey.id} label="key ID" />
          </KeyValue>
        )}
      </KeyValues>
      <div className="flex flex-wrap items-start gap-3">
        <ActionButton
          permission="secret:revoke"
          onClick={() => setStep('revoke')}
          disabledReason={revokeRefusalText(record)}
        >
          Revoke
        </ActionButton>
        <ActionButton
          permission="secret:revoke"
          onClick={() => setStep('archive')}
          disabledReason={
            archiveRefusalText(record) ?? (record.status === 'archived' ? 'This key is already archived.' : undefined)
          }
        >
          Archive
        </ActionButton>
      </div>
    </Dialog>
  )
}
