import { comparedWith, isUnusual, scaleOf, type Usual } from '#components/approvals/amount-scale.ts'
import { formatMoney } from '#components/language/formats.ts'
import * as t from '#components/texts/approval-history/en.ts'
import type { Money } from '#lib/schemas/approvals.ts'

const width = 240
const height = 40
/** On both sides, so that the outermost marks are whole. */
const margin = 4

/** This amount against those that were approved before: dots, the usual range as a band, and a line where this one is. */
export function AmountPicture({ amount, usual }: { amount: Money; usual: Usual }) {
  const place = scaleOf([...usual.amounts, amount.value])
  const x = (value: string) => margin + place(value) * (width - 2 * margin)
  const unusual = isUnusual(usual, amount)
  const [low = '', median = '', high = ''] = [usual.low, usual.median, usual.high].map(
    (value) => formatMoney(value, usual.currency) ?? value,
  )
  const words = comparedWith(usual, amount)
  return (
    <figure className="flex flex-col gap-1">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={t.usualAmountsToMedian({ low, high, median, words })}
        className="h-10 w-60 max-w-full"
      >
        <rect
          x={x(usual.low)}
          y={6}
          width={Math.max(2, x(usual.high) - x(usual.low))}
          height={height - 12}
          className="fill-ok-soft stroke-ok"
          strokeDasharray="2 2"
        />
        {usual.amounts.map((value, index) => (
          <circle
            // biome-ignore lint/suspicious/noArrayIndexKey: the amounts are sorted, and equal ones repeat.
            key={index}
            cx={x(value)}
            cy={height / 2}
            r={2.5}
            className="fill-ink-2"
            fillOpacity={0.5}
          />
        ))}
        <line x1={x(usual.median)} x2={x(usual.median)} y1={6} y2={height - 6} className="stroke-ok" strokeWidth={2} />
        <line
          x1={x(amount.value)}
          x2={x(amount.value)}
          y1={0}
          y2={height}
          className={unusual ? 'stroke-danger' : 'stroke-ink'}
          strokeWidth={3}
        />
      </svg>
      <figcaption className="text-dense text-ink-2">
        {t.usualTo({
          low,
          high,
          words,
          span: (content) => <span className={unusual ? 'font-semibold text-danger' : undefined}>{content}</span>,
        })}
      </figcaption>
    </figure>
  )
}
