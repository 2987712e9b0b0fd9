'use client'

import * as t from '#components/texts/menus/en.ts'
import { Dialog } from '#components/ui/controls/dialog.tsx'
import { Rail } from './rail.tsx'

export type RailSheetProps = {
  tenant: string
  name: string
  waiting: number | undefined
  alarms: number | undefined
  sealedAt: string | null | undefined
  open: boolean
  onOpenChange: (open: boolean) => void
}

export function RailSheet({ tenant, name, waiting, alarms, sealedAt, open, onOpenChange }: RailSheetProps) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={name} description={t.areas} placement="side">
      <Rail
        tenant={tenant}
        waiting={waiting}
        alarms={alarms}
        sealedAt={sealedAt}
        onNavigate={() => onOpenChange(false)}
      />
    </Dialog>
  )
}
