'use client'

import Link from 'next/link'
import { useSession } from '#components/session/session-provider.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { classNames } from '#components/ui/text/class-names.ts'
import { type Permission, rolesToAskFor } from '#lib/permissions.ts'

type ActionLinkProps = {
  href: string
  /** The action behind the link: "Start an execution". */
  children: string
  /** Without it the link is a blocked button that names the roles that can. */
  permission: Permission
  /** Why the action is currently unavailable to everyone. */
  blocked?: string | undefined
  variant?: 'primary' | 'secondary'
}

/** An action that has its own page. */
export function ActionLink({ href, children, permission, blocked, variant = 'primary' }: ActionLinkProps) {
  const { can } = useSession()
  const reason = can(permission) ? blocked : whoCan(permission)
  if (reason !== undefined) return <Button disabledReason={reason}>{children}</Button>
  return (
    <Link
      href={href}
      className={classNames(
        'inline-flex min-h-9 items-center justify-center border px-3 py-1.5',
        variant === 'primary'
          ? 'border-primary bg-primary font-semibold text-on-primary hover:bg-primary-hover'
          : 'border-line-strong bg-surface hover:bg-selected',
      )}
    >
      {children}
    </Link>
  )
}

/** Returns why an action is blocked for a person without `permission`. */
export function whoCan(permission: Permission): string {
  return `Needs the permission ${permission}: ${rolesToAskFor(permission).join(' or ')}.`
}
