import * as t from '#components/texts/json/en.ts'
import { loadedLater } from '#components/ui/feedback/loaded-later.tsx'
import { ErasedTag } from '#components/ui/status/erased-tag.tsx'
import { MaskedChip } from '#components/ui/status/masked-chip.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { JsonValue } from '#lib/json.ts'
import { erasedText } from '#lib/rules/erased.ts'
import { conditionIn } from '#lib/rules/standing-grants/condition.ts'
import { leafText } from './leaf-text.ts'
import { maskedShape } from './masked-shape.ts'

/** Only proposals of standing grants have some. */
const ShownCondition = loadedLater(() => import('./shown-condition.tsx').then((module) => module.ShownCondition))

type ShownLeafProps = {
  value: JsonValue | undefined
  masked?: { class: string; length: number } | undefined
  /** Whether something was erased from what contains the value. Without that, "[erased]" is an ordinary text. */
  erased?: boolean
  /** Shown in place of the whole text. */
  beginning?: string | undefined
}

/** A value without members, the same wherever a person reads what they approve. Masked and erased values are marked as such. */
export function ShownLeaf({ value = '', masked, erased = false, beginning }: ShownLeafProps) {
  if (masked !== undefined) return <MaskedChip shape={maskedShape(masked)} />
  const condition = conditionIn(value)
  if (condition !== undefined) return <ShownCondition condition={condition} />
  if (erased && value === erasedText) return <ErasedTag />
  return (
    <>
      <code className="wrap-anywhere font-mono text-dense">
        <ShownText edges>{beginning ?? leafText(value)}</ShownText>
      </code>
      {value === '' && <span className="text-dense text-ink-2"> {t.emptyText}</span>}
    </>
  )
}
