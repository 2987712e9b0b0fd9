'use client'

import Link from 'next/link'
import type { ReactNode } from 'react'
import { useQuery } from '#components/api/query.ts'
import { ChangedValues } from '#components/json/changed-values.tsx'
import { formatDuration } from '#components/language/formats.ts'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/trace-compare/en.ts'
import { Part } from '#components/traces/detail/part.tsx'
import { costText } from '#components/traces/detail/trace-facts.tsx'
import { kindWord } from '#components/traces/grid/span-kind.tsx'
import type { TraceSpan } from '#components/traces/model/trace-span.ts'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { tracePath } from '#lib/paths.ts'
import type { Span } from '#lib/schemas/traces.ts'
import { isInput, isOutput } from '#lib/traces/span-content.ts'
import { useTRPC } from '#lib/trpc.ts'
import { compareValues } from './compared-values.ts'
import { type Call, durationOf } from './difference.ts'
import { markOf, stateWord } from './words.ts'

type One = { traceId: string; startedAt: string; span: TraceSpan | undefined; call: Call | undefined }
type PairDetailProps = { bits: number; first: One; second: One }

/** The two spans of a row side by side, with the values that differ. */
export function PairDetail({ bits, first, second }: PairDetailProps) {
  const known = second.span ?? first.span
  const [one, other] = [useDetail(first), useDetail(second)]
  if (known === undefined) return null
  const failed = [one, other].find(({ error }) => error !== null)
  const loading = [one, other].some((side) => side.wanted && side.span === undefined)
  return (
    <>
      <div className="flex flex-col gap-1">
        <h2 className="wrap-anywhere">
          <ShownText>{known.name}</ShownText>
        </h2>
        <p className="text-ink-2">
          {kindWord(known.kind)}, {markOf(bits).word}
        </p>
      </div>
      <SideBySide first={first} second={second} details={[one.span, other.span]} />
      {failed !== undefined ? (
        <RequestFailed
          error={failed.error}
          what={t.theSpan}
          act={t.seeTraces}
          permission="trace:read"
          retry={failed.retry}
        />
      ) : loading ? (
        <Skeleton label={t.loadingBothSpans} rows={5} />
      ) : (
        <Values first={one.span?.attributes ?? []} second={other.span?.attributes ?? []} />
      )}
    </>
  )
}

function useDetail({ traceId, span }: One) {
  const trpc = useTRPC()
  const spanId = span?.spanId ?? ''
  const { data, error, refetch } = useQuery(
    trpc.traces.getSpan.queryOptions({ traceId, spanId }, { enabled: span !== undefined, staleTime: 60_000 }),
  )
  return { wanted: span !== undefined, span: data?.span, error, retry: () => void refetch() }
}

type Row = { name: string; first: ReactNode; second: ReactNode }

function SideBySide({ first, second, details }: { first: One; second: One; details: (Span | undefined)[] }) {
  const { tenant } = useSession()
  const [one, other] = details
  const both = (name: string, of: (side: One) => ReactNode): Row => ({ name, first: of(first), second: of(second) })
  const rows: Row[] = [
    both(t.state, ({ span }) => (span === undefined ? t.notInThisTrace : stateWord(span))),
    both(t.took, ({ span }) => tookText(span)),
    both(t.startedAfter, ({ span, startedAt }) => span && formatDuration(span.startedAt - Date.parse(startedAt))),
    ...(first.call === undefined && second.call === undefined
      ? []
      : [
          both(
            t.tokens,
            ({ call }) => call && t.tokensInOut({ tokens: call.inputTokens, outputTokens: call.outputTokens }),
          ),
          both(t.cost, ({ call }) => call && costText(call.cost)),
        ]),
    ...(one?.statusMessage == null && other?.statusMessage == null
      ? []
      : [
          {
            name: t.message,
            first: <ShownText>{one?.statusMessage ?? ''}</ShownText>,
            second: <ShownText>{other?.statusMessage ?? ''}</ShownText>,
          },
        ]),
    both(
      t.open,
      ({ traceId, span }) =>
        span && (
          <Link
            href={tracePath(tenant, traceId, { span: span.spanId })}
            prefetch={false}
            className="text-link inline-flex min-h-6 items-center"
          >
            {t.inItsTrace}
          </Link>
        ),
    ),
  ]
  return (
    // In the sheet of a phone, a column that scrolls would squeeze it.
    <div className="shrink-0">
      <DataTable
        caption={t.spanInBothTraces}
        dense
        narrow="scroll"
        rows={rows}
        rowKey={({ name }) => name}
        columns={[
          { key: 'name', header: t.ofSpan, rowHeader: true, cell: ({ name }) => name },
          { key: 'first', header: t.first, cell: (row) => row.first },
          { key: 'second', header: t.second, cell: (row) => row.second },
        ]}
      />
    </div>
  )
}

function tookText(span: TraceSpan | undefined): string | undefined {
  if (span === undefined) return undefined
  const took = durationOf(span)
  return took === undefined ? t.stillRunning : formatDuration(took)
}

type Attributes = Span['attributes']

function Values({ first, second }: { first: Attributes; second: Attributes }) {
  const others = (attributes: Attributes) => attributes.filter((one) => !isInput(one) && !isOutput(one))
  return (
    <>
      <Compared title={t.input} first={first.filter(isInput)} second={second.filter(isInput)} />
      <Compared title={t.output} first={first.filter(isOutput)} second={second.filter(isOutput)} />
      <Compared title={t.otherAttributes} first={others(first)} second={others(second)} />
    </>
  )
}

function Compared({ title, first, second }: { title: string; first: Attributes; second: Attributes }) {
  if (first.length === 0 && second.length === 0) return null
  const { changed, masked, same } = compareValues(first, second)
  return (
    <Part title={title}>
      {changed.length > 0 && (
        <ChangedValues
          caption={t.valuesThatDiffer({ title })}
          names={{ value: t.value, before: t.first, after: t.second }}
          rows={changed}
        />
      )}
      <p className="text-ink-2">
        {changed.length === 0 && masked === 0 ? t.identical : same > 0 && t.valuesIdentical({ values: same })}
        {masked > 0 && t.valuesMasked({ masked })}
      </p>
    </Part>
  )
}
