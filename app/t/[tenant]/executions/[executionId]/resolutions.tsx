'use client'

import { applicationWords, deliveryWords } from '#components/inputs/receipt-words.ts'
import { StateCell } from '#components/inputs/state-words.tsx'
import { shownText } from '#components/language/shown-text.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { mailErrorText } from '#components/mail/mail-error.ts'
import * as t from '#components/texts/execution-inputs/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { Execution } from '#lib/schemas/executions.ts'
import type { InputResolution } from '#lib/schemas/inputs.ts'
import { SendAgain } from './send-again.tsx'
import { useResolutions } from './use-resolutions.ts'

/** The delivery of each answer to the execution and of each question to a person. A failed one can be sent again. */
export function Resolutions({ execution }: { execution: Execution }) {
  const pages = useResolutions(execution)
  return (
    <PagedTable
      pages={pages}
      caption={t.answersAndTheirDelivery}
      columns={COLUMNS}
      rowKey={(row) => row.id}
      failed={{ what: t.theDeliveries, act: t.seeWaitsAndTheir, permission: 'input:read' }}
      empty={<EmptyState title={t.noDeliveriesYet}>{t.answersAppearHereAs}</EmptyState>}
    />
  )
}

const COLUMNS: Column<InputResolution>[] = [
  {
    key: 'input',
    header: t.input,
    rowHeader: true,
    cell: (row) => (
      <span className="wrap-anywhere">
        <ShownText>{row.input}</ShownText>
      </span>
    ),
  },
  {
    key: 'channel',
    header: t.by,
    cell: ({ channel, recipient }) =>
      channel === 'event' ? (
        t.inputEvent
      ) : (
        <span className="wrap-anywhere">
          {t.mailTo({ recipient: recipient ?? t.unknownRecipient, shown: shownText })}
        </span>
      ),
  },
  {
    key: 'delivery',
    header: t.delivery,
    cell: (row) => (
      <>
        <StateCell words={{ ...deliveryWords(row.delivery), at: row.deliveredAt }} />
        {row.deliveryError !== null && (
          <span className="wrap-anywhere text-dense text-ink-2">
            <ShownText>{row.channel === 'mail' ? mailErrorText(row.deliveryError) : row.deliveryError}</ShownText>
          </span>
        )}
      </>
    ),
  },
  {
    key: 'application',
    header: t.application,
    cell: (row) => <StateCell words={{ ...applicationWords(row.application), at: row.appliedAt }} />,
  },
  { key: 'attempts', header: t.attempts, align: 'end', cell: (row) => row.attempts },
  {
    key: 'retry',
    header: t.retry,
    // A question by mail is sent again from its wait.
    cell: (row) => (row.channel === 'event' ? <SendAgain resolution={row} /> : undefined),
  },
]
