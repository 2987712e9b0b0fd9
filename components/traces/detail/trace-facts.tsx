import type { ReactNode } from 'react'
import { formatDuration } from '#components/language/formats.ts'
import * as language from '#components/texts/language/en.ts'
import * as t from '#components/texts/trace-detail/en.ts'
import { traceFigures } from '#components/traces/model/trace-figures.ts'
import type { TraceSpan } from '#components/traces/model/trace-span.ts'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { numberFormat } from '#lib/formatters.ts'
import type { TraceUsage } from '#lib/schemas/traces.ts'

type TraceFactsProps = { spans: readonly TraceSpan[]; ended: boolean; usage: TraceUsage | null }

/** The line under the title of a trace: state, duration, counts, and what its models used. */
export function TraceFacts({ spans, ended, usage }: TraceFactsProps) {
  const figures = traceFigures(spans)
  return (
    <>
      <TraceStatus ended={ended} errors={figures.errors} />
      {figures.endedAt !== undefined && spans.length > 0 && (
        <Fact>{t.duration({ duration: formatDuration(figures.endedAt - figures.startedAt) })}</Fact>
      )}
      <Fact>{t.spans({ spans: figures.spans })}</Fact>
      <Fact>{t.errors({ errors: figures.errors })}</Fact>
      <Fact>{t.policyChecks({ policyChecks: figures.policyChecks })}</Fact>
      <Fact>{t.approvals({ approvals: figures.approvals })}</Fact>
      {usage !== null && (
        <>
          <Fact>{t.tokensInTokensOut({ tokens: usage.inputTokens, output: usage.outputTokens })}</Fact>
          <Fact>{t.cost({ cost: costText(usage.cost) })}</Fact>
          {usage.models.length > 0 && (
            <span className="wrap-anywhere">
              {usage.models.length === 1 ? t.model : t.models} <ShownText>{usage.models.join(', ')}</ShownText>
            </span>
          )}
        </>
      )}
    </>
  )
}

const amounts = { maximumFractionDigits: 6, useGrouping: false }

/** A decimal amount with at most six places, in the language of the page. */
export const amountText = (amount: string): string => numberFormat(language.tag, amounts).format(amount as `${number}`)

/** Model calls cost fractions of a cent, which the usual form of an amount would round to nothing. */
export const costText = (cost: TraceUsage['cost']): string =>
  cost === null ? t.unknownCost : `${amountText(cost.amount)} ${cost.currency}`

/** The state is the worst of what happened: a trace with a failed span is not simply "ended". */
export function TraceStatus({ ended, errors }: { ended: boolean; errors: number }) {
  if (errors > 0)
    return <StatusShape status="failed" label={t.runningWithErrors({ ended: String(ended), errors })} boxed />
  return ended ? <StatusShape status="approved" label={t.ended} boxed /> : <StatusShape status="running" boxed />
}

const Fact = ({ children }: { children: ReactNode }) => <span className="whitespace-nowrap">{children}</span>
