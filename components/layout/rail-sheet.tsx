'use client'

import { Dialog } from '#components/ui/controls/dialog.tsx'
import { Rail } from './rail.tsx'

export type RailSheetProps = {
  tenant: string
  name: string
  waiting: number | undefined
  alarms: number | undefined
  open: boolean
  onOpenChange: (open: boolean) => void
}

export function RailSheet({ tenant, name, waiting, alarms, open, onOpenChange }: RailSheetProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={name}
      description="The areas of the console"
      placement="side"
    >
      <Rail tenant={tenant} waiting={waiting} alarms={alarms} onNavigate={() => onOpenChange(false)} />
    </Dialog>
  )
}
