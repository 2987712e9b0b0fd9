'use client'

import { useParams, useSearchParams } from 'next/navigation'
import type { ReactNode } from 'react'
import { shownText } from '#components/language/shown-text.tsx'
import { LinkButton } from '#components/layout/link-button.tsx'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { Permitted } from '#components/navigation/permitted.tsx'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/trace-compare/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { compareTracesPath, tracePath, tracesPath } from '#lib/paths.ts'
import { ChooseOther } from './choose-other.tsx'
import { Comparison } from './comparison.tsx'
import { type Loaded, useLoaded } from './use-loaded.ts'

/** Compares two traces. The address names both. */
export function CompareTraces() {
  const { traceId } = useParams<{ traceId: string }>()
  const other = useSearchParams().get('with')
  return (
    <Permitted permission="trace:read" act={t.seeTraces} title={t.compareTraces}>
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
      <PageHeader title={t.compareWithAnotherTrace} crumbs={crumbsOf(tenant, traceId, loaded)} id="Compare" />
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
        title={t.compareWith({ title: one.title, shown: shownText, other: other.title })}
        crumbs={crumbsOf(tenant, first, one)}
        id="Compare"
        action={
          <>
            <LinkButton href={compareTracesPath(tenant, second, { with: first })}>{t.swapTwo}</LinkButton>
            <LinkButton href={compareTracesPath(tenant, first)}>{t.chooseAnother}</LinkButton>
          </>
        }
      />
      {first === second ? (
        <EmptyState title={t.bothAreSameTrace}>{t.chooseAnotherOneTo}</EmptyState>
      ) : (
        <Ready loaded={[one, other]}>
          {([left, right]) => left !== undefined && right !== undefined && <Comparison left={left} right={right} />}
        </Ready>
      )}
    </Page>
  )
}

const crumbsOf = (tenant: string, traceId: string, { title }: ReturnType<typeof useLoaded>) => [
  { label: t.traces, href: tracesPath(tenant) },
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
        what={t.theTrace({ id: failed.traceId.slice(0, 8) })}
        act={t.seeTraces}
        permission="trace:read"
        retry={() => void failed.query.refetch()}
      />
    )
  const traces = loaded.flatMap(({ trace }) => trace ?? [])
  if (traces.length < loaded.length) return <Skeleton label={t.loadingTraces} rows={12} rowClass="h-6.5" />
  return children(traces)
}
