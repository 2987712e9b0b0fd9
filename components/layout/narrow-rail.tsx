'use client'

import { type ComponentType, useState } from 'react'
import * as t from '#components/texts/shell/en.ts'
import { MenuIcon } from '#components/ui/status/icons.tsx'
import { classNames } from '#components/ui/text/class-names.ts'
import type { RailSheetProps } from './rail-sheet.tsx'

type NarrowRailProps = Omit<RailSheetProps, 'open' | 'onOpenChange'>

const load = () => import('./rail-sheet.tsx').then((module) => module.RailSheet)

/** The rail as a sheet behind a button, for small screens. A page loads the sheet when the button gets the pointer or the focus. */
export function NarrowRail(props: NarrowRailProps) {
  const { waiting, alarms } = props
  const [open, setOpen] = useState(false)
  const [Sheet, setSheet] = useState<ComponentType<RailSheetProps>>()
  // Without a connection the sheet is missing until the next attempt.
  const start = () =>
    Sheet ??
    void load().then(
      (component) => setSheet(() => component),
      () => undefined,
    )
  const label = t.menu({ waiting: waiting ?? 0, alarms: alarms ?? 0 })
  return (
    <>
      <button
        type="button"
        aria-label={label}
        aria-haspopup="dialog"
        aria-expanded={open}
        onPointerEnter={start}
        onFocus={start}
        onClick={() => {
          start()
          setOpen(true)
        }}
        className="relative inline-grid size-9 place-items-center hover:bg-selected"
      >
        <MenuIcon size="size-5" />
        {((waiting ?? 0) > 0 || (alarms ?? 0) > 0) && (
          <span
            aria-hidden="true"
            className={classNames(
              'absolute top-1.5 right-1 size-2 outline-2 outline-surface',
              (alarms ?? 0) > 0 ? 'bg-danger' : 'bg-ink',
            )}
          />
        )}
      </button>
      {Sheet && <Sheet {...props} open={open} onOpenChange={setOpen} />}
    </>
  )
}
