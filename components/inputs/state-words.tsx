import * as t from '#components/texts/inputs/en.ts'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { StateWords } from './receipt-words.ts'

/** A state as shape and word, followed by details and times. */
export function StateCell({ words: { status, label, note, at, keptUntil } }: { words: StateWords }) {
  return (
    <span className="flex flex-col">
      <StatusShape status={status} label={label} />
      <span className="flex flex-col text-dense text-ink-2">
        {note !== undefined && <ShownText>{note}</ShownText>}
        {at && <Time at={at} show="absolute" />}
        {keptUntil !== undefined && (
          <span>{t.keptUntilTime({ at: () => <Time at={keptUntil} show="absolute" /> })}</span>
        )}
      </span>
    </span>
  )
}
