'use client'

import Link from 'next/link'
import { useParams } from 'next/navigation'
import { LinkButton } from '#components/layout/link-button.tsx'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/traces/en.ts'
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
    <Permitted permission="trace:read" act={t.seeTraces} title={t.trace}>
      <OneTrace key={traceId} traceId={traceId} />
    </Permitted>
  )
}

function OneTrace({ traceId }: { traceId: string }) {
  const { tenant } = useSession()
  const live = useTrace(traceId)
  const { query, trace, spans, waitingForStart } = live
  const crumbs = [{ label: t.traces, href: tracesPath(tenant) }]
  const title = useTraceTitle(trace)
  const shownId = <Copyable value={traceId} label={t.traceId} shorten="middle" />
  if (trace === undefined || title === undefined)
    return (
      <Page wide>
        <PageHeader title={t.trace} crumbs={crumbs} id={shownId} />
        {trace !== undefined || query.error === null || waitingForStart ? (
          <Skeleton label={t.loadingTrace} rows={12} rowClass="h-6.5" />
        ) : (
          <RequestFailed
            error={query.error}
            what={t.theTrace}
            act={t.seeTraces}
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
        action={<LinkButton href={compareTracesPath(tenant, traceId)}>{t.compareWithAnother}</LinkButton>}
        crumbs={crumbs}
        id={shownId}
        facts={
          <>
            <TraceFacts spans={spans} ended={trace.endedAt !== null} usage={query.data?.usage ?? null} />
            <span>{t.startedTime({ at: () => <Time at={trace.startedAt} /> })}</span>
            {trace.executionId !== null && (
              <Link
                href={executionPath(tenant, trace.executionId)}
                prefetch={false}
                className="text-link inline-flex min-h-6 items-center print:hidden"
              >
                {t.openExecution}
              </Link>
            )}
          </>
        }
      />
      <TraceView trace={live} />
    </Page>
  )
}
