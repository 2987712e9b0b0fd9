'use client'

import { useQueryClient } from '@tanstack/react-query'
import { isLive } from '#components/executions/execution-status.tsx'
import { ReasonDialog } from '#components/forms/reason-dialog.tsx'
import { applicationWords, deliveryWords } from '#components/inputs/receipt-words.ts'
import { StateCell } from '#components/inputs/state-words.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { useApi } from '#components/session/session-provider.tsx'
import { usePages } from '#components/session/use-pages.ts'
import type { Column } from '#components/ui/data-table.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { ShownText } from '#components/ui/shown-text.tsx'
import type { Execution } from '#lib/schemas/executions.ts'
import type { InputResolution } from '#lib/schemas/inputs.ts'
import { refreshInputs } from './use-execution.ts'
import { inputsRefreshMs } from './waits.tsx'

/** Each answer on its way to the execution, and each question on its way to a person; what failed can be sent again. */
export function Resolutions({ execution }: { execution: Execution }) {
  const { client } = useApi()
  const pages = usePages({
    path: ['executions', 'inputResolutions.list'],
    input: { executionId: execution.id },
    read: client.executions.inputResolutions.list.query,
    ...(isLive(execution.status) ? { refreshEvery: inputsRefreshMs } : {}),
  })
  return (
    <PagedTable
      pages={pages}
      caption="Answers and their delivery"
      columns={COLUMNS}
      rowKey={(row) => row.id}
      failed={{ what: 'The deliveries', act: 'see waits and their answers', permission: 'input:read' }}
      empty={
        <EmptyState title="Nothing was delivered.">
          An answer stands here from the moment in which it is matched with a wait until the execution has applied it.
        </EmptyState>
      }
    />
  )
}

const COLUMNS: Column<InputResolution>[] = [
  {
    key: 'input',
    header: 'Input',
    rowHeader: true,
    cell: (row) => (
      <span className="wrap-anywhere">
        <ShownText>{row.input}</ShownText>
      </span>
    ),
  },
  {
    key: 'channel',
    header: 'By',
    cell: ({ channel, recipient }) =>
      channel === 'event' ? (
        'Input event'
      ) : (
        <span className="wrap-anywhere">
          Mail to <ShownText>{recipient ?? 'nobody'}</ShownText>
        </span>
      ),
  },
  {
    key: 'delivery',
    header: 'Delivery',
    cell: (row) => (
      <>
        <StateCell words={{ ...deliveryWords(row.delivery), at: row.deliveredAt }} />
        {row.deliveryError !== null && (
          <span className="wrap-anywhere text-dense text-ink-2">
            <ShownText>{row.deliveryError}</ShownText>
          </span>
        )}
      </>
    ),
  },
  {
    key: 'application',
    header: 'Application',
    cell: (row) => <StateCell words={{ ...applicationWords(row.application), at: row.appliedAt }} />,
  },
  { key: 'attempts', header: 'Attempts', align: 'end', cell: (row) => row.attempts },
  { key: 'retry', header: 'Retry', cell: (row) => <Retry resolution={row} /> },
]

function Retry({
  resolution: { id, executionId, input, delivery, application, revision },
}: {
  resolution: InputResolution
}) {
  const { client } = useApi()
  const cache = useQueryClient()
  const over = application !== 'not_applied' || (delivery !== 'failed' && delivery !== 'unknown')
  return (
    <ReasonDialog
      label="Send again"
      busyLabel="Sending again"
      keepLabel="Leave it"
      title={`Send ${input} again?`}
      consequence={
        delivery === 'unknown'
          ? 'Nobody knows whether it arrived the first time: it may arrive twice.'
          : 'It failed for certain, so it does not arrive twice. It is sent once more.'
      }
      permission="input:manage"
      over={over}
      act={(reason) => client.executions.inputResolutions.retry.mutate({ id, expectedRevision: revision, reason })}
      refresh={() => refreshInputs(cache, executionId)}
      done="It is on its way again."
      notDone="It was not sent again."
    />
  )
}
