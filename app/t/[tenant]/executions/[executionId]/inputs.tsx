'use client'

import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { isLive } from '#components/executions/execution-status.tsx'
import { receiptWords, type StateWords } from '#components/inputs/receipt-words.ts'
import { StateCell } from '#components/inputs/state-words.tsx'
import { JsonView } from '#components/json/json-view.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { MissingPermission } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/execution-inputs/en.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { Execution } from '#lib/schemas/executions.ts'
import type { Receipt } from '#lib/schemas/inputs.ts'
import { useTRPC } from '#lib/trpc.ts'
import { inputsRefreshMs } from './use-resolutions.ts'

/** The execution's inbox: every input event that was sent to it, in any state. */
export function Inputs({ execution }: { execution: Execution }) {
  const { can } = useSession()
  if (!can('input:read')) return <MissingPermission act={t.seeInputEventsOf} permission="input:read" />
  return <Inbox execution={execution} />
}

function Inbox({ execution }: { execution: Execution }) {
  const trpc = useTRPC()
  useChanges(isLive(execution.status) ? ['inputs'] : [], inputsRefreshMs)
  const pages = usePages(trpc.executions.inputEvents.list, { executionId: execution.id })
  return (
    <>
      <p className="max-w-[75ch] text-ink-2">{t.inputEventPassesThrough}</p>
      <PagedTable
        pages={pages}
        caption={t.inputEvents}
        columns={COLUMNS}
        rowKey={(row) => row.receiptId}
        failed={{ what: t.theInput, act: t.seeInputEventsOf, permission: 'input:read' }}
        empty={<EmptyState title={t.noInputEventsYet}>{t.systemsSendInputWith}</EmptyState>}
      />
    </>
  )
}

const state = (key: keyof ReturnType<typeof receiptWords>, header: string): Column<Receipt> => ({
  key,
  header,
  cell: (row) => <StateCell words={receiptWords(row)[key] satisfies StateWords} />,
})

const COLUMNS: Column<Receipt>[] = [
  {
    key: 'input',
    header: t.input,
    rowHeader: true,
    cell: (row) => (
      <span className="flex flex-col">
        <span className="wrap-anywhere">
          <ShownText>{row.correlation.input}</ShownText>
        </span>
        <Copyable value={row.receiptId} label={t.receiptId} shorten="middle" />
      </span>
    ),
  },
  {
    key: 'by',
    header: t.sentBy,
    cell: ({ admission: { submittedBy, source } }) => (
      <span className="flex flex-col">
        <ShownText>{submittedBy.displayName}</ShownText>
        {source !== null && (
          <span className="wrap-anywhere text-dense text-ink-2">
            {t.fromView({ jsonView: () => <JsonView value={source} /> })}
          </span>
        )}
      </span>
    ),
  },
  state('admission', t.admission),
  state('match', t.match),
  state('delivery', t.delivery),
  state('application', t.application),
]
