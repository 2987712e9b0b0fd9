'use client'

import { useParams, useSearchParams } from 'next/navigation'
import type { ReactNode } from 'react'
import { LinkButton } from '#components/layout/link-button.tsx'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { compareTracesPath, tracePath, tracesPath } from '#lib/paths.ts'
import { ChooseOther } from './choose-other.tsx'
import { Comparison } from './comparison.tsx'
import { type Loaded, useLoaded } from './use-loaded.ts'

/** Compares two traces. The address names both. */
export function CompareTraces() {
  const { traceId } = useParams<{ traceId: string }>()
  const other = useSearchParams().get('with')
  return (
    <Permitted permission="trace:read" act="see traces" title="Compare traces">
      {other !== null && /^[0-9a-f]{32}$/.test(other) ? (
        <TwoTraces key={`${traceId} ${other}`} ids={[traceId, other]} />
      ) : (
        <OneTrace key={traceId} traceId={traceId} />
      )}
    </Permitted>
  )
}

/** Until another trace is chosen. */
function OneTrace({ traceId }: { traceId: string }) {
  const { tenant } = useSession()
  const loaded = useLoaded(traceId)
  return (
    <Page wide>
      <PageHeader title="Compare with another trace" crumbs={crumbsOf(tenant, traceId, loaded)} id="Compare" />
      <Ready loaded={[loaded]}>{([trace]) => trace !== undefined && <ChooseOther trace={trace.answer.trace} />}</Ready>
    </Page>
  )
}

function TwoTraces({ ids: [first, second] }: { ids: [string, string] }) {
  const { tenant } = useSession()
  const one = useLoaded(first)
  const other = useLoaded(second)
  return (
    <Page wide>
      <PageHeader
        title={
          <>
            Compare <ShownText>{one.title}</ShownText> with <ShownText>{other.title}</ShownText>
          </>
        }
        crumbs={crumbsOf(tenant, first, one)}
        id="Compare"
        action={
          <>
            <LinkButton href={compareTracesPath(tenant, second, { with: first })}>Swap the two</LinkButton>
            <LinkButton href={compareTracesPath(tenant, first)}>Choose another</LinkButton>
          </>
        }
      />
      {first === second ? (
        <EmptyState title="Both are the same trace.">Choose another one to compare it with.</EmptyState>
      ) : (
        <Ready loaded={[one, other]}>
          {([left, right]) => left !== undefined && right !== undefined && <Comparison left={left} right={right} />}
        </Ready>
      )}
    </Page>
  )
}

const crumbsOf = (tenant: string, traceId: string, { title }: ReturnType<typeof useLoaded>) => [
  { label: 'Traces', href: tracesPath(tenant) },
  { label: title, href: tracePath(tenant, traceId) },
]

type ReadyProps = {
  loaded: ReturnType<typeof useLoaded>[]
  children: (traces: Loaded[]) => ReactNode
}

/** The content once every trace has arrived, or why one can't be shown. */
function Ready({ loaded, children }: ReadyProps) {
  const failed = loaded.find(({ query }) => query.data === undefined && query.error !== null)
  if (failed !== undefined)
    return (
      <RequestFailed
        error={failed.query.error}
        what={`The trace ${failed.traceId.slice(0, 8)}…`}
        act="see traces"
        permission="trace:read"
        retry={() => void failed.query.refetch()}
      />
    )
  const traces = loaded.flatMap(({ trace }) => trace ?? [])
  if (traces.length < loaded.length) return <Skeleton label="Loading the traces…" rows={12} rowClass="h-6.5" />
  return children(traces)
}
