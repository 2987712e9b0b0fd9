'use client'

import { type ReactNode, useId, useState } from 'react'
import { Button } from '#components/ui/controls/button.tsx'
import { classNames } from '#components/ui/text/class-names.ts'

type FilterFoldProps = {
  /** Label of the filters: "Filter the records". */
  label: string
  /** How many filters are set. */
  set: number
  onClear: () => void
  children: ReactNode
}

/** The filters of a list. On a narrow screen, one control shows how many are set and opens them. */
export function FilterFold({ label, set, onClear, children }: FilterFoldProps) {
  const [open, setOpen] = useState(false)
  const id = useId()
  return (
    <search aria-label={label} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3 narrow:hidden">
        <Button aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
          {set === 0 ? 'Filter' : `Filter, ${set} set`}
        </Button>
        {set > 0 && !open && <ShowAll onClear={onClear} />}
      </div>
      <div
        id={id}
        className={classNames(
          'flex-wrap items-end gap-x-4 gap-y-3 *:w-full *:narrow:w-auto *:narrow:min-w-40 *:narrow:max-w-60',
          open ? 'flex' : 'hidden narrow:flex',
        )}
      >
        {children}
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
    Show all
  </Button>
)
