'use client'

import { Figure, FigureRow } from '#components/figures/figure.tsx'
import { FigureSkeleton } from '#components/figures/figure-skeleton.tsx'
import { failedShare } from '#components/figures/shares.ts'
import { formatDuration, formatMoney, formatNumber, formatShare } from '#components/language/formats.ts'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/home/en.ts'
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
      <RequestFailed error={error} what={t.theFigures} plural retry={() => void refetch()} />
    )
  return (
    <section aria-label={t.twoWeeks}>
      <h2 className="sr-only">{t.twoWeeks}</h2>
      <FigureRow>
        <Decisions figures={data} />
        <Runs figures={data} />
        <Cost figures={data} />
      </FigureRow>
    </section>
  )
}

/** Whole minutes from ten minutes on: seconds say nothing about a day's median then, and a range of two is wider than its column. */
function seconds(value: number): string {
  if (value < 60) return `${Math.round(value)} s`
  return formatDuration((value < 600 ? Math.round(value) : Math.round(value / 60) * 60) * 1000)
}

function Decisions({ figures: { days, decisions } }: { figures: HomeFigures }) {
  if (decisions === null) return null
  const decided = decisions.map(({ approved, rejected }) => approved + rejected)
  const medians = decisions.map(({ medianSeconds }) => medianSeconds)
  const today = decisions.at(-1)
  const median = today?.medianSeconds ?? null
  return (
    <>
      <Figure
        title={t.decisions}
        unit={t.perDay}
        days={days}
        series={{
          key: t.decisions,
          today: formatNumber(decided.at(-1) ?? 0),
          note:
            today === undefined || today.rejected + today.expired === 0
              ? t.today
              : [
                  ...(today.rejected > 0 ? [t.rejected({ count: formatNumber(today.rejected) })] : []),
                  ...(today.expired > 0 ? [t.expired({ count: formatNumber(today.expired) })] : []),
                ].join(', '),
          byDay: decided,
          format: formatNumber,
        }}
      />
      <Figure
        title={t.timeToDecide}
        unit={t.median}
        days={days}
        series={{
          key: t.medianKey,
          today: median === null ? t.noDecision : seconds(median),
          note: t.today,
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
      title={t.failedExecutions}
      unit={t.ofEnded}
      days={days}
      series={{
        key: t.failed,
        today: share === null ? t.noneEnded : formatShare(share),
        note:
          share === null
            ? t.today
            : t.failedToday({ failed: formatNumber(today.failed), ended: formatNumber(today.ended) }),
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
    const nothing = { key: t.cost, today: t.none, note: t.inTwoWeeks, byDay: days.map(() => 0), format: formatNumber }
    return <Figure title={t.costOfModels} unit={t.perDay} days={days} series={nothing} />
  }
  return cost.map(({ currency, byDay }) => {
    const format = (value: number) => amountText(value, currency)
    const series = {
      key: currency,
      today: format(Number(byDay.at(-1) ?? 0)),
      note: t.today,
      byDay: byDay.map(Number),
      format,
      bad: 'more' as const,
    }
    return <Figure key={currency} title={t.costIn({ currency })} unit={t.perDay} days={days} series={series} />
  })
}

/** Small amounts with more places, so that they aren't zero. */
const amountText = (value: number, currency: string): string =>
  formatMoney(value.toFixed(value > 0 && value < 0.1 ? 4 : 2), currency) ?? `${value} ${currency}`
