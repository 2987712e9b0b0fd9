'use client'

import type { ReactNode } from 'react'
import { useSession } from '#components/session/session-provider.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import type { InProgress } from '#components/ui/text/in-progress.ts'
import type { Permission } from '#lib/permissions.ts'
import { whoCan } from './action-link.tsx'

type ActionButtonProps = {
  permission: Permission
  onClick: () => void
  variant?: 'primary' | 'secondary'
  /** Why the action is unavailable to a person with the permission. */
  disabledReason?: string | undefined
  /** The label while the call is in progress. */
  busyLabel?: InProgress | undefined
  children: ReactNode
}

/** An action on this page. Without the permission the button is blocked and names the roles that can. */
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
