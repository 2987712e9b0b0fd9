import { classNames } from '#components/ui/text/class-names.ts'
import { linesOf } from './line.ts'
import type { Usual } from './usual.ts'

const frame = { width: 260, height: 44 }

type SparklineProps = {
  /** The oldest first; null for a day without a figure. */
  days: readonly (number | null)[]
  /** Drawn as a dashed band. */
  usual?: Usual | undefined
  /** The last day is outside of what is usual, in the bad direction. */
  alarming?: boolean
}

/** A line over days, with a dot at the last one. Its numbers are in a table next to it. */
export function Sparkline({ days, usual, alarming = false }: SparklineProps) {
  const { lines, last, band } = linesOf(days, frame, usual)
  return (
    <svg viewBox={`0 0 ${frame.width} ${frame.height}`} aria-hidden="true" className="block w-full">
      {band && (
        <rect
          x="0.5"
          width={frame.width - 1}
          y={band.y}
          height={Math.max(2, band.height)}
          className="fill-sunken stroke-line-strong"
          strokeDasharray="2 2"
        />
      )}
      <path d={`M0 ${frame.height - 0.5}h${frame.width}`} className="stroke-line" />
      {lines.map((points) => (
        <polyline key={points} points={points} fill="none" className="stroke-ink-2" strokeWidth="1.5" />
      ))}
      {last && <circle cx={last.x} cy={last.y} r="3" className={classNames(alarming ? 'fill-danger' : 'fill-ink')} />}
    </svg>
  )
}

const barFrame = { width: 97, height: 18 }
const barWidth = 6

type RunBarsProps = { days: readonly { ended: number; failed: number }[] }

/** What ended on each day, with the failed part at the foot. For a row of a table, whose cells have the numbers. */
export function RunBars({ days }: RunBarsProps) {
  const largest = Math.max(1, ...days.map(({ ended }) => ended))
  const high = (count: number): number => (count === 0 ? 0 : Math.max(1.5, (count / largest) * barFrame.height))
  return (
    <svg viewBox={`0 0 ${barFrame.width} ${barFrame.height}`} aria-hidden="true" className="h-4.5 w-[97px] shrink-0">
      {days.map(({ ended, failed }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the place of a day is its key, and never moves.
        <g key={index}>
          <rect
            x={index * (barWidth + 1)}
            y={barFrame.height - Math.max(1, high(ended))}
            width={barWidth}
            height={Math.max(1, high(ended))}
            className={ended === 0 ? 'fill-line' : 'fill-ink-3'}
          />
          {failed > 0 && (
            <rect
              x={index * (barWidth + 1)}
              y={barFrame.height - high(failed)}
              width={barWidth}
              height={high(failed)}
              className="fill-danger"
            />
          )}
        </g>
      ))}
    </svg>
  )
}
