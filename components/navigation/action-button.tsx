'use client'

import type { ReactNode } from 'react'
import { useSession } from '#components/session/session-provider.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import type { Permission } from '#lib/permissions.ts'
import { whoCan } from './action-link.tsx'

type ActionButtonProps = {
  permission: Permission
  onClick: () => void
  variant?: 'primary' | 'secondary'
  /** Why it can't be done, for somebody who has the permission. */
  disabledReason?: string | undefined
  /** The call is under way. */
  busyLabel?: string | undefined
  children: ReactNode
}

/** An action on this page; without the permission it stays, and says who can. */
export function ActionButton({ permission, onClick, variant, disabledReason, busyLabel, children }: ActionButtonProps) {
  const { can } = useSession()
  const reason = can(permission) ? disabledReason : whoCan(permission)
  return (
    <Button
      onClick={onClick}
      busyLabel={busyLabel}
      {...(variant === undefined ? {} : { variant })}
      {...(reason === undefined ? {} : { disabledReason: reason })}
    >
      {children}
    </Button>
  )
}
