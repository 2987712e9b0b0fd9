'use client'

import Link from 'next/link'
import { MissingPermission, RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/execution-evidence/en.ts'
import { TraceFacts } from '#components/traces/detail/trace-facts.tsx'
import { TraceView } from '#components/traces/trace-view.tsx'
import { useTrace } from '#components/traces/use-trace.ts'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { compareTracesPath, tracePath } from '#lib/paths.ts'
import type { Execution } from '#lib/schemas/executions.ts'

/** The execution's trace, with the same view as on the trace's page. */
export function ExecutionTrace({ execution }: { execution: Execution }) {
  const { can } = useSession()
  if (!can('trace:read')) return <MissingPermission act={t.seeTraces} permission="trace:read" />
  // The trace starts with the execution.
  if (execution.status === 'queued') return <Skeleton label={t.waitingForExecutionTo} rows={8} rowClass="h-6.5" />
  return <OneTrace key={execution.traceId} traceId={execution.traceId} />
}

function OneTrace({ traceId }: { traceId: string }) {
  const { tenant } = useSession()
  const trace = useTrace(traceId)
  const { query, spans, waitingForStart } = trace
  if (query.data === undefined)
    return query.error === null || waitingForStart ? (
      <Skeleton label={t.waitingForTraceTo} rows={8} rowClass="h-6.5" />
    ) : (
      <RequestFailed
        error={query.error}
        what={t.theTrace}
        act={t.seeTraces}
        permission="trace:read"
        retry={() => void query.refetch()}
      />
    )
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5">
        <TraceFacts spans={spans} ended={query.data.trace.endedAt !== null} usage={query.data.usage ?? null} />
        <Link
          href={tracePath(tenant, traceId)}
          prefetch={false}
          className="text-link inline-flex min-h-6 items-center print:hidden"
        >
          {t.openTraceOnIts}
        </Link>
        <Link
          href={compareTracesPath(tenant, traceId)}
          prefetch={false}
          className="text-link inline-flex min-h-6 items-center print:hidden"
        >
          {t.compareWithAnotherRun}
        </Link>
      </div>
      <TraceView trace={trace} />
    </div>
  )
}
