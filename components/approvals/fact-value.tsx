import { maskedShape } from '#components/json/masked-shape.ts'
import { formatMoney } from '#components/language/formats.ts'
import * as t from '#components/texts/requests/en.ts'
import { MaskedChip } from '#components/ui/status/masked-chip.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { CardFact } from '#lib/schemas/approvals.ts'
import { factText } from './fact-text.ts'

/** A fact of a card: money, times and masked values in their own form. */
export function FactValue({ fact: { value, masked } }: { fact: CardFact }) {
  if (masked !== undefined) return <MaskedChip shape={maskedShape(masked)} />
  if (value === null)
    return (
      <span className="inline-flex min-h-6 items-center border border-line-strong border-dashed px-1.5 text-ink-2">
        {t.unknown}
      </span>
    )
  const money = /^(-?\d+(?:\.\d+)?) ([A-Z]{3})$/.exec(value)
  const amount = money === null ? undefined : formatMoney(money[1] ?? '', money[2] ?? '')
  if (amount !== undefined) return <strong className="tabular-nums">{amount}</strong>
  if (isTime(value)) return <Time at={value} />
  return <ShownText>{factText(value)}</ShownText>
}

/** A complete ISO 8601 time: without its zone it could be any of them. */
const isTime = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.test(text) && !Number.isNaN(Date.parse(text))
