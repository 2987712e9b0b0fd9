'use client'

import { useState } from 'react'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { MenuIcon } from '#components/ui/status/icons.tsx'
import { Rail } from './rail.tsx'

/** The rail as a sheet behind a button, for small screens. */
export function NarrowRail({ tenant, name, waiting }: { tenant: string; name: string; waiting: number | undefined }) {
  const [open, setOpen] = useState(false)
  const label = waiting === undefined || waiting === 0 ? 'Menu' : `Menu, ${waiting} approvals waiting for you`
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
        {waiting !== undefined && waiting > 0 && (
          <span aria-hidden="true" className="absolute top-1.5 right-1 size-2 bg-ink outline-2 outline-surface" />
        )}
      </button>
      <Dialog open={open} onOpenChange={setOpen} title={name} description="The areas of the console" placement="side">
        <Rail tenant={tenant} waiting={waiting} onNavigate={() => setOpen(false)} />
      </Dialog>
    </>
  )
}
