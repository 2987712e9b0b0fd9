import { inWords, isUnusual, scaleOf, timesOf } from '#components/approvals/amount-scale.ts'
import { formatMoney } from '#components/language/formats.ts'
import * as t from '#components/texts/approvals/en.ts'
import type { UsualRange } from '#lib/schemas/approvals/usual.ts'
import type { Money } from '#lib/schemas/approvals.ts'

const width = 74
const height = 14
/** One line as wide as the picture with a factor of two digits, whatever it holds, so that nothing moves when the picture comes. */
const line = 'flex h-lh min-w-29 items-center gap-2 whitespace-nowrap'
const picture = 'h-3.5 w-[74px] shrink-0'

/** An amount against the usual range: a band with its median, and a mark for this one; the factor only outside the band. */
export function AgainstUsual({ amount, usual }: { amount: Money; usual: UsualRange }) {
  const { low, median, high, currency } = usual
  // The band keeps the same share of the picture in every row, so that rows can be compared by eye.
  const scale = scaleOf([String(Number(low) / 10), String(Number(high) * 10)])
  const x = (value: string) => 1 + scale(value) * (width - 2)
  const unusual = isUnusual(usual, amount)
  const times = timesOf(usual, amount)
  const [from, to] = [low, high].map((value) => formatMoney(value, currency))
  return (
    <span className={line}>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={t.usualTo({ usual: inWords(usual, amount), from: from ?? low, to: to ?? high })}
        className={picture}
      >
        <line x1={0} x2={width} y1={height / 2} y2={height / 2} className="stroke-line" />
        <rect
          x={x(low)}
          y={3}
          width={Math.max(2, x(high) - x(low))}
          height={height - 6}
          className="fill-sunken stroke-line-strong"
        />
        <line x1={x(median)} x2={x(median)} y1={3} y2={height - 3} className="stroke-line-strong" />
        <line
          x1={x(amount.value)}
          x2={x(amount.value)}
          y1={0}
          y2={height}
          className={unusual ? 'stroke-danger' : 'stroke-ink'}
          strokeWidth={2.5}
        />
      </svg>
      {unusual && times !== undefined && (
        <span aria-hidden="true" className="font-semibold text-danger tabular-nums">
          {times}×
        </span>
      )}
    </span>
  )
}

/** The place of a comparison whose answer has not come yet. */
export const AgainstUsualAwaited = () => (
  <span className={line}>
    <span className={picture} />
  </span>
)
