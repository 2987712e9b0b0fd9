'use client'

import { memo } from 'react'
import { Kbd } from '#components/ui/controls/kbd.tsx'
import { classNames } from '#components/ui/text/class-names.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { Choice } from './choices.ts'

type ChoiceLineProps = {
  id: string
  choice: Choice
  /** Enter chooses it. */
  current: boolean
}

/** A line of the palette: a command, a page or something that was found. */
export const ChoiceLine = memo(function ChoiceLine({ id, choice, current }: ChoiceLineProps) {
  const { title, note, at, keys, blocked } = choice
  return (
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={current}
      aria-disabled={blocked !== undefined}
      className={classNames(
        'flex min-h-9 cursor-pointer flex-wrap items-center gap-x-3 px-4 py-1 max-rail:min-h-11',
        current && 'bg-selected',
        blocked !== undefined && 'cursor-default text-ink-2',
      )}
    >
      <span className="wrap-anywhere min-w-0 font-semibold">
        <ShownText>{title}</ShownText>
      </span>
      {(note ?? blocked) !== undefined && (
        <span className="wrap-anywhere min-w-0 text-dense text-ink-2">
          <ShownText>{blocked ?? note ?? ''}</ShownText>
        </span>
      )}
      <span className="ml-auto flex gap-1 text-dense text-ink-2">
        {at !== undefined && <Time at={at} show="relative" />}
        {keys?.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </span>
    </div>
  )
})
