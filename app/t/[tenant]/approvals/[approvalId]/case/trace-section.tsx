'use client'

import Link from 'next/link'
import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { MissingPermission, RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/approval-case/en.ts'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { CustodySection } from '#components/ui/status/custody-line.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { executionPath, tracePath } from '#lib/paths.ts'
import type { Approval } from '#lib/schemas/approvals.ts'
import type { Span } from '#lib/schemas/traces.ts'
import { useTRPC } from '#lib/trpc.ts'

/** The number of last steps that are listed. */
const shownSpans = 5
/** How often the trace is read while the socket is down, in milliseconds. */
const refreshMs = 10_000

/** The last spans before the request, with links to the complete trace and the execution. */
export function TraceSection({ shown: { kind, presentation, decidedAt } }: { shown: Approval }) {
  const { tenant } = useSession()
  const { traceId, executionId, position } = presentation
  if (traceId === null || executionId === null)
    return (
      <CustodySection title={t.whatLedHere}>
        <p>{kind === 'external_call' ? t.agentElsewhereAsks : t.personOrPipelineProposed}</p>
      </CustodySection>
    )
  return (
    <CustodySection title={t.whatLedHere} note={position ?? undefined}>
      <LastSpans traceId={traceId} until={decidedAt} />
      <p className="flex flex-wrap gap-x-4 print:hidden">
        <Link href={tracePath(tenant, traceId)} prefetch={false} className="text-link inline-flex min-h-6 items-center">
          {t.openTrace}
        </Link>
        <Link
          href={executionPath(tenant, executionId)}
          prefetch={false}
          className="text-link inline-flex min-h-6 items-center"
        >
          {t.openExecution}
        </Link>
      </p>
    </CustodySection>
  )
}

/** Shows only spans that started before `until`, the time of the decision: later ones are its consequences. */
function LastSpans({ traceId, until }: { traceId: string; until: string | null }) {
  const { can } = useSession()
  const trpc = useTRPC()
  const allowed = can('trace:read')
  useChanges(until === null ? [] : ['traces'], refreshMs)
  const { data, error, refetch } = useQuery(trpc.traces.getTrace.queryOptions({ traceId }, { enabled: allowed }))
  if (!allowed) return <MissingPermission act={t.seeTraces} permission="trace:read" />
  if (error !== null && data === undefined)
    return (
      <RequestFailed
        error={error}
        what={t.theTrace}
        act={t.seeTraces}
        permission="trace:read"
        retry={() => void refetch()}
      />
    )
  if (data === undefined) return <Skeleton label={t.loadingTrace} rows={shownSpans} rowClass="h-7" />
  const spans = data.spans.filter(({ startedAt }) => until === null || startedAt <= until)
  const left = spans.length - shownSpans
  return (
    <>
      <DataTable
        caption={t.lastStepsOfTrace}
        columns={COLUMNS}
        rows={spans.slice(-shownSpans)}
        rowKey={(span) => span.spanId}
        dense
        narrow="scroll"
      />
      {left > 0 && <p className="text-dense text-ink-2">{t.earlierStepsAreIn({ left })}</p>}
    </>
  )
}

const COLUMNS: Column<Span>[] = [
  { key: 'at', header: t.time, cell: ({ startedAt }) => <Time at={startedAt} show="clock" /> },
  {
    key: 'name',
    header: t.step,
    rowHeader: true,
    cell: ({ name }) => (
      <span className="wrap-break-word">
        <ShownText breaks>{name}</ShownText>
      </span>
    ),
  },
  { key: 'kind', header: t.kind, cell: ({ kind }) => kind },
  { key: 'state', header: t.state, cell: stateOf },
]

function stateOf({ status, endedAt }: Span): string {
  if (endedAt === null) return t.running
  return status === 'error' ? t.failed : t.ended
}
