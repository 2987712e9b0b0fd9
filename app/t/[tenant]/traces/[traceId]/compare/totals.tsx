import Link from 'next/link'
import type { ReactNode } from 'react'
import { formatDuration, formatNumber } from '#components/language/formats.ts'
import * as t from '#components/texts/trace-compare/en.ts'
import { amountText, costText, TraceStatus } from '#components/traces/detail/trace-facts.tsx'
import { traceFigures } from '#components/traces/model/trace-figures.ts'
import { DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { tracePath } from '#lib/paths.ts'
import { decimal, micros } from '#lib/rules/cost.ts'
import type { TraceUsage } from '#lib/schemas/traces.ts'
import type { Loaded } from './use-loaded.ts'
import { countGap, gapText } from './words.ts'

type Row = { name: string; first: ReactNode; second: ReactNode; gap?: string | undefined }

/** The figures of both traces side by side. */
export function Totals({ tenant, left, right }: { tenant: string; left: Loaded; right: Loaded }) {
  const [one, other] = [traceFigures(left.spans), traceFigures(right.spans)]
  const [usage, otherUsage] = [left.answer.usage, right.answer.usage]
  const counted = (name: string, from: number, to: number): Row => ({
    name,
    first: formatNumber(from),
    second: formatNumber(to),
    gap: from === to ? undefined : countGap(from, to),
  })
  const [took, otherTook] = [tookOf(one), tookOf(other)]
  const rows: Row[] = [
    { name: t.trace, first: titleLink(tenant, left), second: titleLink(tenant, right) },
    {
      name: t.state,
      first: <TraceStatus ended={left.answer.trace.endedAt !== null} errors={one.errors} />,
      second: <TraceStatus ended={right.answer.trace.endedAt !== null} errors={other.errors} />,
    },
    {
      name: t.started,
      first: <Time at={left.answer.trace.startedAt} />,
      second: <Time at={right.answer.trace.startedAt} />,
    },
    {
      name: t.duration,
      first: took === undefined ? t.running : formatDuration(took),
      second: otherTook === undefined ? t.running : formatDuration(otherTook),
      gap: took === undefined || otherTook === undefined || took === otherTook ? undefined : gapText(took, otherTook),
    },
    counted(t.spans, one.spans, other.spans),
    counted(t.errors, one.errors, other.errors),
    counted(t.policyChecks, one.policyChecks, other.policyChecks),
    counted(t.approvals, one.approvals, other.approvals),
    ...(usage === null && otherUsage === null
      ? []
      : [
          counted(t.tokensIn, usage?.inputTokens ?? 0, otherUsage?.inputTokens ?? 0),
          counted(t.tokensOut, usage?.outputTokens ?? 0, otherUsage?.outputTokens ?? 0),
          {
            name: t.cost,
            first: usage === null ? t.noCost : costText(usage.cost),
            second: otherUsage === null ? t.noCost : costText(otherUsage.cost),
            gap: costGap(usage?.cost, otherUsage?.cost),
          },
          { name: t.models, first: modelsText(usage), second: modelsText(otherUsage) },
        ]),
  ]
  return (
    <div className="max-w-4xl">
      <DataTable
        caption={t.totalsOfBothTraces}
        dense
        narrow="scroll"
        rows={rows}
        rowKey={({ name }) => name}
        columns={[
          { key: 'name', header: t.total, rowHeader: true, cell: ({ name }) => name },
          { key: 'first', header: t.first, cell: ({ first }) => first },
          { key: 'second', header: t.second, cell: ({ second }) => second },
          { key: 'gap', header: t.difference, align: 'end', cell: ({ gap }) => gap },
        ]}
      />
    </div>
  )
}

const titleLink = (tenant: string, { traceId, title }: Loaded): ReactNode => (
  <Link href={tracePath(tenant, traceId)} prefetch={false} className="text-link wrap-anywhere">
    <ShownText>{title}</ShownText>
  </Link>
)

const tookOf = ({ startedAt, endedAt, spans }: ReturnType<typeof traceFigures>): number | undefined =>
  endedAt === undefined || spans === 0 ? undefined : endedAt - startedAt

const modelsText = (usage: TraceUsage | null): ReactNode =>
  usage === null || usage.models.length === 0 ? undefined : <ShownText>{usage.models.join(', ')}</ShownText>

type Cost = TraceUsage['cost'] | undefined

/** Amounts in two currencies are not subtracted. */
function costGap(from: Cost, to: Cost): string | undefined {
  if (from == null || to == null || from.currency !== to.currency) return undefined
  const gap = micros(to.amount) - micros(from.amount)
  if (gap === 0n) return undefined
  return `${gap < 0n ? '−' : '+'}${amountText(decimal(gap < 0n ? -gap : gap))} ${to.currency}`
}
