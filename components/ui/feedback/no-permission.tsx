import type { ReactNode } from 'react'
import * as t from '#components/texts/ui/en.ts'
import { KeyholeIcon } from '#components/ui/status/icons.tsx'

type NoPermissionProps = {
  /** What the person wanted: "see this organisation's approvals". */
  what: string
  /** Who has it, and who can grant it. */
  children: ReactNode
}

/** Content that this person lacks the permission for. It must never look like an empty list. */
export function NoPermission({ what, children }: NoPermissionProps) {
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 border border-line-strong border-dashed bg-sunken p-4">
      <KeyholeIcon className="mt-0.5 text-ink-2" />
      <p className="font-semibold">{t.noPermission({ what })}</p>
      <p className="col-start-2 max-w-[75ch] text-ink-2">{children}</p>
    </div>
  )
}
