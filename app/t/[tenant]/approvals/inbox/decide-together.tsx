'use client'

import { FactValue } from '#components/approvals/fact-value.tsx'
import { BulkDialog } from '#components/bulk/bulk-dialog.tsx'
import { outcomeText } from '#components/bulk/result.ts'
import { ResultText } from '#components/bulk/result-text.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { MaskedChip } from '#components/ui/status/masked-chip.tsx'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { argumentText, type BulkDecision } from './bulk.ts'
import type { Request } from './filter.ts'
import { sumOf } from './groups.ts'
import { type Item, useBulk } from './use-bulk.ts'

type DecideTogetherProps = { decision: BulkDecision; requests: readonly Request[]; onClose: () => void }

const VERBS: Record<BulkDecision, string> = { approve: 'Approve', reject: 'Reject' }

/** Several ordinary decisions with one reason: each request is shown, and each has its own digest, record and result. */
export function DecideTogether({ decision, requests, onClose }: DecideTogetherProps) {
  const { items, loadError, state, send } = useBulk(decision, requests)
  const possible = (items ?? []).filter(({ whyNot }) => whyNot === undefined)
  const effect = effectOf(possible)
  return (
    <BulkDialog
      title={`${VERBS[decision]} ${requestsText(requests.length)}`}
      description="Each request is decided on its own, with its own record. All of them get the same reason."
      label={`${VERBS[decision]} ${effect}`}
      busyLabel="Recording the decisions…"
      keepLabel="Cancel"
      lockedWhile="The decisions are being recorded."
      reasonHint="Required. Stored in the audit record of each request."
      acknowledgement={`I have read each request and ${decision} the ${effect}.`}
      missingAcknowledgement="Confirm that you have read each request."
      whyNot={possible.length === 0 ? 'None of these requests can be decided here.' : undefined}
      state={state}
      outcome={outcomeText(
        'approvals',
        possible.map(({ result }) => result),
        (count) => `${requestsText(count)} ${decision === 'approve' ? 'approved' : 'rejected'}.`,
      )}
      onSend={(reason) => void send(reason)}
      onClose={onClose}
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
    </BulkDialog>
  )
}

const requestsText = (count: number): string => `${count} ${count === 1 ? 'request' : 'requests'}`

function effectOf(items: readonly Item[]): string {
  const sum = sumOf(items.map(({ read }) => read))
  return sum === '' ? requestsText(items.length) : `${requestsText(items.length)} of together ${sum}`
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
        <ResultText
          result={result}
          recorded={
            decision === 'approve' ? (
              <StatusShape status="approved" label="Approved" />
            ) : (
              <StatusShape status="rejected" label="Rejected" />
            )
          }
        />
      ) : (
        <span className="text-dense text-warn">
          Left out: <ShownText>{whyNot}</ShownText>
        </span>
      )}
    </li>
  )
}
