'use client'

import { useState } from 'react'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { MenuIcon } from '#components/ui/status/icons.tsx'
import { classNames } from '#components/ui/text/class-names.ts'
import { Rail } from './rail.tsx'

type NarrowRailProps = { tenant: string; name: string; waiting: number | undefined; alarms: number | undefined }

/** The rail as a sheet behind a button, for small screens. */
export function NarrowRail({ tenant, name, waiting, alarms }: NarrowRailProps) {
  const [open, setOpen] = useState(false)
  const label = [
    'Menu',
    ...(waiting === undefined || waiting === 0 ? [] : [`${waiting} approvals waiting for you`]),
    ...(alarms === undefined || alarms === 0 ? [] : [alarms === 1 ? '1 alarm' : `${alarms} alarms`]),
  ].join(', ')
  return (
    <>
      <button
        type="button"
        aria-label={label}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
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
      <Dialog open={open} onOpenChange={setOpen} title={name} description="The areas of the console" placement="side">
        <Rail tenant={tenant} waiting={waiting} alarms={alarms} onNavigate={() => setOpen(false)} />
      </Dialog>
    </>
  )
}
