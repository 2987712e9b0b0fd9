import { shownText } from '#components/language/shown-text.tsx'
import * as t from '#components/texts/json/en.ts'
import type { Condition } from '#lib/rules/standing-grants/condition.ts'

/** What calls of a standing grant may have in an argument. Framed, so that no text of an argument looks like it. */
export function ShownCondition({ condition }: { condition: Condition }) {
  return (
    <span className="wrap-anywhere inline-block min-h-6 border border-line-strong border-dashed px-1.5">
      {condition.is === 'any'
        ? t.anyValue
        : condition.is === 'like'
          ? t.likePattern({ pattern: condition.pattern, shown: shownText })
          : t.atMost({ amount: condition.amount, shown: shownText })}
    </span>
  )
}
