'use client'

import { type ReactNode, useContext, useId } from 'react'
import * as t from '#components/texts/figures/en.ts'
import { classNames } from '#components/ui/text/class-names.ts'
import { TimeZoneContext } from '#components/ui/text/time.tsx'
import { formatShortDay } from '#components/ui/text/time-format.ts'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { Sparkline } from './sparkline.tsx'
import { usualOf } from './usual.ts'

export type Series = {
  /** The heading of its column in the table. */
  key: string
  /** Of today, written out: "176", "3.1 %". */
  today: string
  /** More about today, after the value. */
  note?: ReactNode
  /** The oldest first, today last; null for a day without a figure. */
  byDay: readonly (number | null)[]
  /** A value in words, for the table and the usual range. */
  format: (value: number) => string
  /** Whether larger or smaller than usual is bad; without it the usual range is not drawn. */
  bad?: 'more'
}

type FigureProps = {
  title: string
  /** What is counted: "per day", "of all runs". */
  unit: string
  /** When each day began. */
  days: readonly string[]
  series: Series
}

/** A figure of today, and its two weeks as a line. The same numbers are in a table that can be opened. */
export function Figure({ title, unit, days, series }: FigureProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col gap-1.5 px-2 py-3 rail:px-4">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <h3 id={id} className="font-normal text-ink-2">
          {title}
        </h3>
        <span className="text-dense text-ink-2">{unit}</span>
      </div>
      <Line series={series} days={days} />
      <details className="text-dense">
        <summary className="min-h-6 w-fit text-ink-2 underline underline-offset-3 max-rail:py-3">
          {t.byDay({ title, hidden: (content) => <VisuallyHidden>{content}</VisuallyHidden> })}
        </summary>
        <Table title={title} days={days} series={series} />
      </details>
    </section>
  )
}

function Line({ series: { today, note, byDay, format, bad }, days }: { series: Series; days: readonly string[] }) {
  const zone = useContext(TimeZoneContext)
  const usual = usualOf(byDay)
  const last = byDay.at(-1)
  const alarming = bad !== undefined && usual !== undefined && typeof last === 'number' && last > usual.high
  const [first] = days
  return (
    <div className="flex flex-col">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <strong className="font-bold text-[1.375rem] leading-7">{today}</strong>
        <span className={classNames('text-dense', alarming ? 'font-semibold text-danger' : 'text-ink-2')}>
          {alarming ? t.more : note}
        </span>
      </p>
      <Sparkline days={byDay} usual={bad === undefined ? undefined : usual} alarming={alarming} />
      <p className="flex justify-between gap-x-2 text-[0.75rem] text-ink-2 leading-4">
        <span className="whitespace-nowrap">{first !== undefined && formatShortDay(new Date(first), zone)}</span>
        {usual !== undefined && <span className="text-center">{usualText(format(usual.low), format(usual.high))}</span>}
        <span>{t.today}</span>
      </p>
    </div>
  )
}

const usualText = (low: string, high: string): string =>
  low === high ? t.usual({ value: low }) : t.usualRange({ low, high })

const inWords = (value: number | null | undefined, format: Series['format']): string =>
  value === null || value === undefined ? t.none : format(value)

function Table({ title, days, series: { key, byDay, format } }: Pick<FigureProps, 'title' | 'days' | 'series'>) {
  const zone = useContext(TimeZoneContext)
  return (
    <table className="mt-1 w-full border-collapse text-left">
      <caption className="sr-only">{t.caption({ title })}</caption>
      <thead>
        <tr className="border-line border-b text-ink-2">
          <th scope="col" className="py-0.5 font-normal">
            {t.day}
          </th>
          <th scope="col" className="py-0.5 text-right font-normal">
            {key}
          </th>
        </tr>
      </thead>
      <tbody>
        {days.map((day, index) => (
          <tr key={day} className="border-line border-b">
            <th scope="row" className="py-0.5 font-normal">
              {formatShortDay(new Date(day), zone)}
            </th>
            <td className="py-0.5 text-right">{inWords(byDay[index], format)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Figures side by side, as many as fit. */
export function FigureRow({ children }: { children: ReactNode }) {
  return (
    // Each cell draws the lines above it and before it; those at the edges are cut off.
    <div className="overflow-hidden border-line border-y">
      <div className="-mt-px -ml-px grid grid-cols-2 rail:grid-cols-[repeat(auto-fit,minmax(13.5rem,1fr))] [&>*]:border-line [&>*]:border-t [&>*]:border-l">
        {children}
      </div>
    </div>
  )
}
