'use client'

import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useQueryClient } from '#components/api/query.ts'
import { BulkDialog } from '#components/bulk/bulk-dialog.tsx'
import { outcomeText, type Result } from '#components/bulk/result.ts'
import { ResultText } from '#components/bulk/result-text.tsx'
import { type SendOptions, sendEach } from '#components/bulk/send-each.ts'
import { EffectTitle } from '#components/executions/effect-title.tsx'
import { ExecutionStatusShape } from '#components/executions/execution-status.tsx'
import { shownText } from '#components/language/shown-text.tsx'
import * as t from '#components/texts/executions/en.ts'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { ExecutionSummary } from '#lib/schemas/executions.ts'
import { useTRPC } from '#lib/trpc.ts'

type CancelTogetherProps = { executions: readonly ExecutionSummary[]; onClose: () => void }

/** Several ordinary cancellations with one reason, each with its own record and result. */
export function CancelTogether({ executions, onClose }: CancelTogetherProps) {
  const { client } = useApi()
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  // As they were selected: one that ends leaves the list behind the dialog.
  const [selected] = useState(executions)
  const [results, setResults] = useState<ReadonlyMap<string, Result>>(new Map())
  const [state, setState] = useState<'open' | 'sending' | 'done'>('open')
  const resultOf = ({ id }: ExecutionSummary): Result => results.get(id) ?? { is: 'waiting' }

  async function cancel({ id }: ExecutionSummary, reason: string, options: SendOptions) {
    // A running execution has a new revision with each step: what counts is that it has not ended, which the server checks.
    const { revision } = await client.executions.get.query({ id }, { signal: options.signal })
    return await client.executions.cancel.mutate({ id, expectedRevision: revision, reason }, options)
  }

  async function send(reason: string) {
    setState('sending')
    await sendEach(
      selected,
      (execution, options) => cancel(execution, reason, options),
      ({ id }, result) => setResults((before) => new Map(before).set(id, result)),
    )
    setState('done')
    void queryClient.invalidateQueries(trpc.executions.pathFilter(), { cancelRefetch: true })
  }

  return (
    <BulkDialog
      title={t.cancelSome({ count: selected.length })}
      description={t.eachIsCanceledOn}
      label={t.cancelThem({ count: selected.length })}
      busyLabel={t.cancelingExecutions}
      keepLabel={t.keepRunning}
      lockedWhile={t.cancellationsAreBeingRecorded}
      reasonHint={t.requiredStoredInAudit}
      acknowledgement={t.iHaveReadList({ count: selected.length })}
      missingAcknowledgement={t.confirmThatYouHave}
      whyNot={undefined}
      areShown
      state={state}
      outcome={outcomeText('executions', selected.map(resultOf), (count) => t.askedToStop({ count }))}
      onSend={(reason) => void send(reason)}
      onClose={onClose}
    >
      <ul aria-label={t.executions} className="flex flex-col">
        {selected.map((execution) => (
          <li key={execution.id} className="flex flex-col gap-1 border-line border-b py-2">
            <span className="font-semibold">
              <EffectTitle execution={execution} />
            </span>
            <span className="flex flex-wrap items-center gap-x-3 text-dense text-ink-2">
              <ExecutionStatusShape status={execution.status} />
              <span>
                {t.startedByTime({
                  startedBy: execution.startedBy.displayName,
                  shown: shownText,
                  at: () => <Time at={execution.createdAt} show="relative" />,
                })}
              </span>
            </span>
            <ResultText
              result={resultOf(execution)}
              recorded={<StatusShape status="revoked" label={t.stopWasRequested} />}
            />
          </li>
        ))}
      </ul>
    </BulkDialog>
  )
}
