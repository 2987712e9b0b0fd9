'use client'

import Link from 'next/link'
import { useSession } from '#components/session/session-provider.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { classNames } from '#components/ui/text/class-names.ts'
import { type Permission, rolesToAskFor } from '#lib/permissions.ts'

type ActionLinkProps = {
  href: string
  /** What it leads to doing: "Start an execution". */
  children: string
  /** Without it the link is a blocked button that says who can. */
  permission: Permission
  /** Why nobody can do it as things are. */
  blocked?: string | undefined
  variant?: 'primary' | 'secondary'
}

/** A page's action that is a page of its own. */
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

/** Why something is blocked for a person without `permission`. */
export function whoCan(permission: Permission): string {
  return `Needs the permission ${permission}: ${rolesToAskFor(permission).join(' or ')}.`
}
