'use client'

import { Figure, FigureRow } from '#components/figures/figure.tsx'
import { FigureSkeleton } from '#components/figures/figure-skeleton.tsx'
import { failedShare, formatNumber, formatShare } from '#components/figures/shares.ts'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { formatDuration } from '#lib/format.ts'
import { formatMoney } from '#lib/rules/effect.ts'
import type { HomeFigures } from '#lib/schemas/home/overview.ts'
import { useFigures } from './use-home.ts'

/** Decisions, time to decide, failures and cost of two weeks. Each for those who may read what it counts. */
export function Figures() {
  const { can } = useSession()
  const { data, error, refetch } = useFigures()
  const shown = (can('approval:list') ? 2 : 0) + (can('execution:read') ? 2 : 0)
  if (shown === 0) return null
  if (data === undefined)
    return error === null ? (
      <FigureSkeleton figures={shown} />
    ) : (
      <RequestFailed error={error} what="The figures" plural retry={() => void refetch()} />
    )
  return (
    <section aria-label="Two weeks">
      <h2 className="sr-only">Two weeks</h2>
      <FigureRow>
        <Decisions figures={data} />
        <Runs figures={data} />
        <Cost figures={data} />
      </FigureRow>
    </section>
  )
}

const seconds = (value: number): string =>
  value < 60 ? `${Math.round(value)} s` : formatDuration(Math.round(value) * 1000)

function Decisions({ figures: { days, decisions } }: { figures: HomeFigures }) {
  if (decisions === null) return null
  const decided = decisions.map(({ approved, rejected }) => approved + rejected)
  const medians = decisions.map(({ medianSeconds }) => medianSeconds)
  const today = decisions.at(-1)
  const median = today?.medianSeconds ?? null
  return (
    <>
      <Figure
        title="Decisions"
        unit="per day"
        days={days}
        series={{
          key: 'Decisions',
          today: formatNumber(decided.at(-1) ?? 0),
          note:
            today === undefined || today.rejected + today.expired === 0
              ? 'today'
              : [
                  ...(today.rejected > 0 ? [`${formatNumber(today.rejected)} rejected`] : []),
                  ...(today.expired > 0 ? [`${formatNumber(today.expired)} more expired`] : []),
                ].join(', '),
          byDay: decided,
          format: formatNumber,
        }}
      />
      <Figure
        title="Time to decide"
        unit="median"
        days={days}
        series={{
          key: 'Median',
          today: median === null ? 'No decision' : seconds(median),
          note: 'today',
          byDay: medians,
          format: seconds,
          bad: 'more',
        }}
      />
    </>
  )
}

function Runs({ figures: { days, runs } }: { figures: HomeFigures }) {
  if (runs === null) return null
  const today = runs.at(-1) ?? { ended: 0, failed: 0 }
  const share = failedShare(today)
  return (
    <Figure
      title="Failed executions"
      unit="of ended"
      days={days}
      series={{
        key: 'Failed',
        today: share === null ? 'None ended' : formatShare(share),
        note: share === null ? 'today' : `${formatNumber(today.failed)} of ${formatNumber(today.ended)} today`,
        byDay: runs.map(failedShare),
        format: formatShare,
        bad: 'more',
      }}
    />
  )
}

/** A figure for each currency: amounts of different currencies are not added. */
function Cost({ figures: { days, cost } }: { figures: HomeFigures }) {
  if (cost === null) return null
  if (cost.length === 0) {
    const nothing = { key: 'Cost', today: 'None', note: 'in two weeks', byDay: days.map(() => 0), format: formatNumber }
    return <Figure title="Cost of models" unit="per day" days={days} series={nothing} />
  }
  return cost.map(({ currency, byDay }) => {
    const format = (value: number) => amountText(value, currency)
    const series = {
      key: currency,
      today: format(Number(byDay.at(-1) ?? 0)),
      note: 'today',
      byDay: byDay.map(Number),
      format,
      bad: 'more' as const,
    }
    return <Figure key={currency} title={`Cost of models in ${currency}`} unit="per day" days={days} series={series} />
  })
}

/** Small amounts with more places, so that they aren't zero. */
const amountText = (value: number, currency: string): string =>
  formatMoney(value.toFixed(value > 0 && value < 0.1 ? 4 : 2), currency) ?? `${value} ${currency}`
