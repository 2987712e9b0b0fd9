import { Banner } from '#components/ui/feedback/banner.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
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
            {by === null ? (
              <>
                Its content reached the end of the organisation’s retention period and was deleted on{' '}
                <Time at={at} show="absolute" />.
              </>
            ) : (
              <>
                Personal data was erased on <Time at={at} show="absolute" /> by{' '}
                <strong className="font-semibold">
                  <ShownText>{by.displayName}</ShownText>
                </strong>
                .
              </>
            )}
          </li>
        ))}
      </ul>
      <p className="text-ink-2">Digests, states and audit records are unchanged.</p>
    </Banner>
  )
}
