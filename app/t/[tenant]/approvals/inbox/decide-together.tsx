'use client'

import { FactValue } from '#components/approvals/fact-value.tsx'
import { BulkDialog } from '#components/bulk/bulk-dialog.tsx'
import { outcomeText } from '#components/bulk/result.ts'
import { ResultText } from '#components/bulk/result-text.tsx'
import { ShownLeaf } from '#components/json/shown-leaf.tsx'
import { shownText } from '#components/language/shown-text.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import * as t from '#components/texts/approvals/en.ts'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { BulkDecision } from './bulk.ts'
import type { Request } from './filter.ts'
import { sumOf } from './groups.ts'
import { type Item, useBulk } from './use-bulk.ts'

type DecideTogetherProps = { decision: BulkDecision; requests: readonly Request[]; onClose: () => void }

/** Several ordinary decisions with one reason: each request is shown, and each has its own digest, record and result. */
export function DecideTogether({ decision, requests, onClose }: DecideTogetherProps) {
  const { items, loadError, state, send } = useBulk(decision, requests)
  const possible = (items ?? []).filter(({ whyNot }) => whyNot === undefined)
  const effect = items === undefined ? t.countedRequests({ count: requests.length }) : effectOf(possible)
  return (
    <BulkDialog
      title={t.decideTitle({ decision, count: requests.length })}
      description={t.eachRequestIsDecided}
      label={t.decideLabel({ decision, effect })}
      busyLabel={t.recordingDecisions}
      keepLabel={t.cancel}
      lockedWhile={t.decisionsAreBeingRecorded}
      reasonHint={t.requiredStoredInAudit}
      acknowledgement={t.iHaveReadEach({ decision, effect })}
      missingAcknowledgement={t.confirmThatYouHave}
      whyNot={
        items === undefined && loadError === undefined
          ? t.loadingRequests
          : possible.length === 0
            ? t.noneOfTheseRequests
            : undefined
      }
      areShown={items !== undefined}
      state={state}
      outcome={outcomeText(
        'approvals',
        possible.map(({ result }) => result),
        (count) => t.recorded({ decision, count }),
      )}
      onSend={(reason) => void send(reason)}
      onClose={onClose}
    >
      {loadError !== undefined && (
        <RequestFailed error={loadError} what={t.theRequests} plural act={t.seeApprovals} permission="approval:list" />
      )}
      {items === undefined
        ? loadError === undefined && <Skeleton label={t.loadingRequests} rows={3} />
        : items.length > 0 && (
            <ul aria-label={t.requests} className="flex flex-col">
              {items.map((item) => (
                <ItemRow key={item.request.approvalId} item={item} decision={decision} />
              ))}
            </ul>
          )}
    </BulkDialog>
  )
}

function effectOf(items: readonly Item[]): string {
  const sum = sumOf(items.map(({ read }) => read))
  return sum === '' ? t.countedRequests({ count: items.length }) : t.ofTogether({ count: items.length, sum })
}

function ItemRow({ item: { request, read, whyNot, result }, decision }: { item: Item; decision: BulkDecision }) {
  const { presentation } = read
  return (
    <li className="flex flex-col gap-1 border-line border-b py-2">
      <span className="font-semibold">
        <ShownText>{request.title}</ShownText>
      </span>
      {request.cardTitle !== undefined && (
        <q className="wrap-anywhere text-ink-2">
          <ShownText>{request.cardTitle}</ShownText>
        </q>
      )}
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
          <KeyValue key={row.path} name={row.path === '' ? t.argumentsText : <ShownText edges>{row.path}</ShownText>}>
            <ShownLeaf value={row.value} masked={row.masked} erased={read.erased.length > 0} />
          </KeyValue>
        ))}
      </KeyValues>
      {whyNot === undefined ? (
        <ResultText
          result={result}
          recorded={
            decision === 'approve' ? (
              <StatusShape status="approved" label={t.approved} />
            ) : (
              <StatusShape status="rejected" label={t.rejected} />
            )
          }
        />
      ) : (
        <span className="text-dense text-warn">{t.leftOut({ whyNot, shown: shownText })}</span>
      )}
    </li>
  )
}
