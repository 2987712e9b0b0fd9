'use client'

import { useChanges } from '#components/api/use-changes.ts'
import { type Pages, usePages } from '#components/api/use-pages.ts'
import { isLive } from '#components/executions/execution-status.tsx'
import { Section } from '#components/page/section.tsx'
import { MissingPermission, RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/execution-inputs/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import type { Execution } from '#lib/schemas/executions.ts'
import type { InputWait } from '#lib/schemas/inputs.ts'
import { useTRPC } from '#lib/trpc.ts'
import { RequestedInputs } from './requested-inputs.tsx'
import { Resolutions } from './resolutions.tsx'
import { inputsRefreshMs, useResolutions } from './use-resolutions.ts'
import { Wait } from './wait.tsx'

/** The execution's open and closed waits for external input, and the delivery of each answer. */
export function Waits({ execution }: { execution: Execution }) {
  const { can } = useSession()
  if (!can('input:read'))
    return (
      <div className="flex max-w-240 flex-col gap-6">
        <MissingPermission act={t.seeWaitsAndTheir} permission="input:read" />
        {/* This person may read the journal, which names the requested inputs. */}
        <RequestedInputs execution={execution} />
      </div>
    )
  return (
    <div className="flex max-w-240 flex-col gap-6">
      <WaitList execution={execution} />
      <Section title={t.answersAndTheirDelivery}>
        <Resolutions execution={execution} />
      </Section>
    </div>
  )
}

function WaitList({ execution }: { execution: Execution }) {
  const trpc = useTRPC()
  useChanges(isLive(execution.status) ? ['inputs'] : [], inputsRefreshMs)
  const pages = usePages(trpc.executions.inputWaits.list, { executionId: execution.id })
  const { items, error, reload } = pages
  if (items === undefined)
    return error === null ? (
      <Skeleton label={t.loadingWaits} rows={3} rowClass="h-16" />
    ) : (
      <RequestFailed
        error={error}
        what={t.theWaits}
        plural
        act={t.seeWaitsAndTheir}
        permission="input:read"
        retry={reload}
      />
    )
  if (items.length === 0)
    return (
      <EmptyState title={isLive(execution.status) ? t.thisExecutionIsNot : t.thisExecutionDidNot}>
        {t.stepThatNeedsExternal}
      </EmptyState>
    )
  return <List pages={pages} waits={items} execution={execution} />
}

function List({ pages, waits, execution }: { pages: Pages<InputWait>; waits: InputWait[]; execution: Execution }) {
  const open = waits.filter((wait) => wait.status === 'open')
  const mails = (useResolutions(execution).items ?? []).filter(({ channel }) => channel === 'mail')
  const ordered = [...open, ...waits.filter((wait) => wait.status !== 'open')]
  return (
    <Section
      title={t.waits}
      aside={<span className="text-ink-2">{open.length === 0 ? t.noneOpen : t.countOpen({ open: open.length })}</span>}
    >
      <ul className="border-line border-t">
        {/* One keyed list, so that an open dialog stays mounted when its wait closes. */}
        {ordered.map((wait) => (
          <Wait
            key={wait.id}
            wait={wait}
            executionStatus={execution.status}
            mails={mails.filter(({ waitId }) => waitId === wait.id)}
          />
        ))}
      </ul>
      {pages.hasMore && (
        <div>
          <Button onClick={pages.loadMore} busyLabel={pages.loadingMore ? t.loadingOlderWaits : undefined}>
            {t.showOlderWaits}
          </Button>
        </div>
      )}
    </Section>
  )
}
