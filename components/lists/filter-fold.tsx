'use client'

import { type ReactNode, useId, useState } from 'react'
import * as t from '#components/texts/lists/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { classNames } from '#components/ui/text/class-names.ts'

type FilterFoldProps = {
  /** Label of the filters: "Filter the records". */
  label: string
  /** How many filters are set. */
  set: number
  onClear: () => void
  children: ReactNode
  /** Filters that are seldom needed, folded, and how many of them are set. */
  more?: { set: number; fields: ReactNode }
}

/** The filters of a list. On a narrow screen, one control shows how many are set and opens them. */
export function FilterFold({ label, set, onClear, children, more }: FilterFoldProps) {
  const [open, setOpen] = useState(false)
  const id = useId()
  // Open from the start if one of them is set, and then as the reader leaves it.
  const [moreAtFirst] = useState(more !== undefined && more.set > 0)
  return (
    <search aria-label={label} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3 narrow:hidden">
        <Button aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
          {t.filter({ set })}
        </Button>
        {set > 0 && !open && <ShowAll onClear={onClear} />}
      </div>
      <div id={id} className={classNames('filters', !open && 'max-narrow:hidden')}>
        {children}
        {more && (
          <details open={moreAtFirst} className="open:col-span-full">
            <summary className="text-link inline-flex min-h-6 items-center text-dense">
              {t.moreFilters({ set: more.set })}
            </summary>
            <div className="filters pt-2">{more.fields}</div>
          </details>
        )}
        {set > 0 && (
          <div>
            <ShowAll onClear={onClear} />
          </div>
        )}
      </div>
    </search>
  )
}

const ShowAll = ({ onClear }: { onClear: () => void }) => (
  <Button variant="quiet" onClick={onClear}>
    {t.showAll}
  </Button>
)
