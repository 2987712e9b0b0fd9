'use client'

import { useChanges } from '#components/api/use-changes.ts'
import { type Pages, usePages } from '#components/api/use-pages.ts'
import { isLive } from '#components/executions/execution-status.tsx'
import { Section } from '#components/page/section.tsx'
import { MissingPermission, RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import type { Execution } from '#lib/schemas/executions.ts'
import type { InputWait } from '#lib/schemas/inputs.ts'
import { useTRPC } from '#lib/trpc.ts'
import { AskedInputs } from './asked-inputs.tsx'
import { Resolutions } from './resolutions.tsx'
import { inputsRefreshMs, useResolutions } from './use-resolutions.ts'
import { Wait } from './wait.tsx'

/** What the execution waits for from outside, what it waited for before, and how each answer got to it. */
export function Waits({ execution }: { execution: Execution }) {
  const { can } = useSession()
  if (!can('input:read'))
    return (
      <div className="flex max-w-240 flex-col gap-6">
        <MissingPermission act="see waits and their answers" permission="input:read" />
        {/* The journal, which this person may read, names what is asked for. */}
        <AskedInputs execution={execution} />
      </div>
    )
  return (
    <div className="flex max-w-240 flex-col gap-6">
      <WaitList execution={execution} />
      <Section title="Answers and their delivery">
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
      <Skeleton label="Loading the waits" rows={3} rowClass="h-16" />
    ) : (
      <RequestFailed
        error={error}
        what="The waits"
        plural
        act="see waits and their answers"
        permission="input:read"
        retry={reload}
      />
    )
  if (items.length === 0)
    return (
      <EmptyState title={isLive(execution.status) ? 'It waits for no input.' : 'It waited for no input.'}>
        A step of the manifest that waits for an input from outside, such as a manager’s confirmation, opens a wait.
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
      title="Waits"
      aside={<span className="text-ink-2">{open.length === 0 ? 'None is open' : `${open.length} open`}</span>}
    >
      <ul className="border-line border-t">
        {/* One list in one order of keys: a dialog that is open lives on when its wait closes meanwhile. */}
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
          <Button onClick={pages.loadMore} busyLabel={pages.loadingMore ? 'Loading older ones' : undefined}>
            Show older ones
          </Button>
        </div>
      )}
    </Section>
  )
}
