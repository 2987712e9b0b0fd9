'use client'

import { useState } from 'react'
import { FactValue } from '#components/approvals/fact-value.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { Checkbox } from '#components/ui/controls/checkbox.tsx'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { TextArea } from '#components/ui/controls/text-field.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { MaskedChip } from '#components/ui/status/masked-chip.tsx'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { reasonLimit } from '../[approvalId]/decision/decision-state.ts'
import { argumentText, type BulkDecision } from './bulk.ts'
import type { Request } from './filter.ts'
import { sumOf } from './groups.ts'
import { type Item, type Result, useBulk } from './use-bulk.ts'

type BulkDialogProps = { decision: BulkDecision; requests: readonly Request[]; onClose: () => void }

const VERBS: Record<BulkDecision, string> = { approve: 'Approve', reject: 'Reject' }

/** Several ordinary decisions with one reason: each request is shown, and each has its own digest, record and result. */
export function BulkDialog({ decision, requests, onClose }: BulkDialogProps) {
  const { items, loadError, state, send } = useBulk(decision, requests)
  const [reason, setReason] = useState('')
  const [acknowledged, setAcknowledged] = useState(false)
  const possible = (items ?? []).filter(({ whyNot }) => whyNot === undefined)
  const effect = effectOf(possible)
  const whyNot =
    possible.length === 0
      ? 'None of these requests can be decided here.'
      : reason.trim() === ''
        ? 'Give a reason first.'
        : reason.length > reasonLimit
          ? 'The reason is too long.'
          : acknowledged
            ? undefined
            : 'Confirm that you have read each request.'
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        // Requests that were sent have an outcome, which the person has to see.
        if (!open && state !== 'sending') onClose()
      }}
      title={`${VERBS[decision]} ${requestsText(requests.length)}`}
      description="Each request is decided on its own, with its own record. All of them get the same reason."
      actions={
        state === 'done' ? (
          <Button variant="primary" onClick={onClose}>
            Close
          </Button>
        ) : (
          <>
            <Button
              onClick={onClose}
              disabledReason={state === 'sending' ? 'The decisions are being recorded.' : undefined}
            >
              Cancel
            </Button>
            <Button
              variant="primary"
              onClick={() => void send(reason)}
              disabledReason={state === 'open' ? whyNot : undefined}
              busyLabel={state === 'sending' ? 'Recording the decisions…' : undefined}
            >
              {`${VERBS[decision]} ${effect}`}
            </Button>
          </>
        )
      }
    >
      {loadError !== undefined && (
        <RequestFailed error={loadError} what="The requests" plural act="see approvals" permission="approval:list" />
      )}
      {items === undefined
        ? loadError === undefined && <Skeleton label="Loading the requests…" rows={3} />
        : items.length > 0 && (
            <ul aria-label="Requests" className="flex flex-col">
              {items.map((item) => (
                <ItemRow key={item.request.approvalId} item={item} decision={decision} />
              ))}
            </ul>
          )}
      {state === 'done' ? (
        <p role="status">{outcomeText(possible, decision)}</p>
      ) : (
        <>
          <TextArea
            label="Reason"
            hint="Required. Stored in the audit record of each request."
            limit={reasonLimit}
            value={reason}
            readOnly={state === 'sending'}
            aria-required
            onChange={(event) => setReason(event.target.value)}
          />
          <Checkbox
            label={`I have read each request and ${decision} the ${effect}.`}
            checked={acknowledged}
            onChange={setAcknowledged}
            locked={state === 'sending'}
          />
        </>
      )}
    </Dialog>
  )
}

const requestsText = (count: number): string => `${count} ${count === 1 ? 'request' : 'requests'}`

function effectOf(items: readonly Item[]): string {
  const sum = sumOf(items.map(({ read }) => read))
  return sum === '' ? requestsText(items.length) : `${requestsText(items.length)} of together ${sum}`
}

function outcomeText(items: readonly Item[], decision: BulkDecision): string {
  const count = (is: Result['is']) => items.filter(({ result }) => result.is === is).length
  const past = decision === 'approve' ? 'approved' : 'rejected'
  const [refused, unknown] = [count('refused'), count('unknown')]
  return [
    `${requestsText(count('recorded'))} ${past}.`,
    refused > 0 && `${requestsText(refused)} refused.`,
    unknown > 0 && `The outcome of ${requestsText(unknown)} is unknown: open each to see whether it was recorded.`,
  ]
    .filter((text) => text !== false)
    .join(' ')
}

function ItemRow({ item: { request, read, whyNot, result }, decision }: { item: Item; decision: BulkDecision }) {
  const { presentation } = read
  return (
    <li className="flex flex-col gap-1 border-line border-b py-2">
      <span className="font-semibold">
        <ShownText>{request.title}</ShownText>
      </span>
      {presentation.card !== undefined && presentation.card.facts.length > 0 && (
        <KeyValues>
          {presentation.card.facts.map((fact, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: facts have a fixed order, and a label may repeat.
            <KeyValue key={index} name={<ShownText>{fact.label}</ShownText>}>
              <FactValue fact={fact} />
            </KeyValue>
          ))}
        </KeyValues>
      )}
      <KeyValues>
        {presentation.arguments.map((row) => (
          <KeyValue key={row.path} name={row.path === '' ? 'Arguments' : <ShownText edges>{row.path}</ShownText>}>
            {row.masked === undefined ? (
              <span className="wrap-anywhere font-mono text-dense">
                <ShownText edges>{argumentText(row)}</ShownText>
              </span>
            ) : (
              <MaskedChip shape={`${row.masked.class}, ${row.masked.length} characters`} />
            )}
          </KeyValue>
        ))}
      </KeyValues>
      {whyNot === undefined ? (
        <ResultText result={result} decision={decision} />
      ) : (
        <span className="text-dense text-warn">
          Left out: <ShownText>{whyNot}</ShownText>
        </span>
      )}
    </li>
  )
}

function ResultText({ result, decision }: { result: Result; decision: BulkDecision }) {
  switch (result.is) {
    case 'waiting':
      return null
    case 'sending':
      return <span className="text-dense text-ink-2">Recording…</span>
    case 'recorded':
      return decision === 'approve' ? (
        <StatusShape status="approved" label="Approved" />
      ) : (
        <StatusShape status="rejected" label="Rejected" />
      )
    case 'refused':
      return <span className="text-dense text-danger">Refused: {result.why}</span>
    case 'unknown':
      return <span className="text-dense text-warn">Outcome unknown: {result.why}</span>
  }
}
