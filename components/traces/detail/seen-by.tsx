import * as t from '#components/texts/trace-detail/en.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { Answers } from '#lib/trpc.ts'

/** Who revealed masked values, when and why. Everyone who can read the trace can see this. */
export function SeenBy({ reveals }: { reveals: Answers['traces']['getSpan']['seenBy'] }) {
  if (reveals.length === 0) return <p className="text-ink-2">{t.noOneHasRevealed}</p>
  return (
    <ul className="flex flex-col gap-2">
      {reveals.map(({ auditId, by, at, purpose, justification }) => (
        <li key={auditId}>
          <span className="font-semibold">
            <ShownText>{by.displayName}</ShownText>
          </span>
          , <Time at={at} show="absolute" />: <ShownText>{purpose}</ShownText>
          <p className="text-ink-2">
            <ShownText>{justification}</ShownText>
          </p>
        </li>
      ))}
    </ul>
  )
}
