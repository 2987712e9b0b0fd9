import { shownText } from '#components/language/shown-text.tsx'
import * as t from '#components/texts/page/en.ts'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { Erased } from '#lib/schemas/erased.ts'

/** States what was erased from the page, when, by whom, and what remains. */
export function ErasedNotice({ erased }: { erased: readonly Erased[] }) {
  if (erased.length === 0) return null
  return (
    <Banner tone="neutral" urgency="none">
      <ul>
        {erased.map(({ at, erasureId, by }) => (
          <li key={erasureId ?? at}>
            {by === null
              ? t.retained({ at: () => <Time at={at} show="absolute" /> })
              : t.erased({
                  name: by.displayName,
                  at: () => <Time at={at} show="absolute" />,
                  shown: (name) => <strong className="font-semibold">{shownText(name)}</strong>,
                })}
          </li>
        ))}
      </ul>
      <p className="text-ink-2">{t.unchanged}</p>
    </Banner>
  )
}
