'use client'

import Link from 'next/link'
import { useParams } from 'next/navigation'
import { LinkButton } from '#components/layout/link-button.tsx'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { TraceFacts } from '#components/traces/detail/trace-facts.tsx'
import { useTraceTitle } from '#components/traces/trace-title.ts'
import { TraceView } from '#components/traces/trace-view.tsx'
import { useTrace } from '#components/traces/use-trace.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { compareTracesPath, executionPath, tracesPath } from '#lib/paths.ts'

/** One trace as a waterfall, updated live until it ends. */
export function Trace() {
  const { traceId } = useParams<{ traceId: string }>()
  return (
    <Permitted permission="trace:read" act="see traces" title="Trace">
      <OneTrace key={traceId} traceId={traceId} />
    </Permitted>
  )
}

function OneTrace({ traceId }: { traceId: string }) {
  const { tenant } = useSession()
  const live = useTrace(traceId)
  const { query, trace, spans, waitingForStart } = live
  const crumbs = [{ label: 'Traces', href: tracesPath(tenant) }]
  const title = useTraceTitle(trace)
  const shownId = <Copyable value={traceId} label="trace ID" shorten="middle" />
  if (trace === undefined)
    return (
      <Page wide>
        <PageHeader title="Trace" crumbs={crumbs} id={shownId} />
        {query.error === null || waitingForStart ? (
          <Skeleton label="Loading the trace…" rows={12} rowClass="h-6.5" />
        ) : (
          <RequestFailed
            error={query.error}
            what="The trace"
            act="see traces"
            permission="trace:read"
            retry={() => void query.refetch()}
          />
        )}
      </Page>
    )
  return (
    <Page wide>
      <PageHeader
        title={<ShownText>{title}</ShownText>}
        action={<LinkButton href={compareTracesPath(tenant, traceId)}>Compare with another</LinkButton>}
        crumbs={crumbs}
        id={shownId}
        facts={
          <>
            <TraceFacts spans={spans} ended={trace.endedAt !== null} usage={query.data?.usage ?? null} />
            <span>
              Started <Time at={trace.startedAt} />
            </span>
            {trace.executionId !== null && (
              <Link
                href={executionPath(tenant, trace.executionId)}
                prefetch={false}
                className="text-link inline-flex min-h-6 items-center"
              >
                Open the execution
              </Link>
            )}
          </>
        }
      />
      <TraceView trace={live} />
    </Page>
  )
}
