import * as t from '#components/texts/ui/en.ts'
import { classNames } from '#components/ui/text/class-names.ts'
import { Glyph } from './glyph.tsx'
import { Tag } from './tag.tsx'
import { TONE_TEXT, type Tone } from './tone.ts'

export type RiskLevel = 'low' | 'medium' | 'high' | 'critical'

/** `word` below the heading "Risk", `alone` elsewhere. */
const LEVELS: Record<RiskLevel, { word: string; alone: string; tone: Tone; filled: number }> = {
  low: { word: t.low, alone: t.lowRisk, tone: 'neutral', filled: 1 },
  medium: { word: t.medium, alone: t.mediumRisk, tone: 'warn', filled: 2 },
  high: { word: t.high, alone: t.highRisk, tone: 'danger', filled: 3 },
  critical: { word: t.critical, alone: t.criticalRisk, tone: 'danger', filled: 3 },
}

/** The word below a heading that says that it is a risk. */
export const riskWord = (level: RiskLevel): string => LEVELS[level].word

const BARS = [
  { x: 2, y: 9.5, height: 4 },
  { x: 6.5, y: 6, height: 7.5 },
  { x: 11, y: 2.5, height: 11 },
]

/** One, two or three filled bars, and the word: short in a column of its own, whole in a box. */
export function RiskBars({ level, boxed = false }: { level: RiskLevel; boxed?: boolean }) {
  const { word, alone, tone, filled } = LEVELS[level]
  const bars = (
    <Glyph>
      {BARS.map(({ x, y, height }, index) => (
        <rect
          key={x}
          x={x}
          y={y}
          width="3"
          height={height}
          strokeWidth="1"
          fill={index < filled ? 'currentColor' : 'none'}
        />
      ))}
    </Glyph>
  )
  if (boxed) {
    return (
      <Tag tone={tone} icon={bars}>
        {alone}
      </Tag>
    )
  }
  return (
    <span className={classNames('inline-flex items-center gap-1.5 whitespace-nowrap', TONE_TEXT[tone])}>
      {bars}
      {/* The text, not the bars, aligns with the baseline. */}
      <span className="self-baseline">{word}</span>
    </span>
  )
}
