'use client'

import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { useActions } from '#components/actions/registry.ts'
import { peopleWith } from '#components/session/people-with.ts'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/shell/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Kbd } from '#components/ui/controls/kbd.tsx'
import { classNames } from '#components/ui/text/class-names.ts'
import type { Permission } from '#lib/permissions.ts'

type ActionLinkProps = {
  href: string
  /** The action behind the link: "Start an execution". */
  children: string
  /** Without it the link is a blocked button that names the roles that can. */
  permission: Permission
  /** Why the action is currently unavailable to everyone. */
  blocked?: string | undefined
  variant?: 'primary' | 'secondary'
  /** The key of an action in the header of a page. The palette and the help offer it, too. */
  hotkey?: string
}

/** An action that has its own page. */
export function ActionLink({ href, children, permission, blocked, variant = 'primary', hotkey }: ActionLinkProps) {
  const { can } = useSession()
  const { push } = useRouter()
  const reason = can(permission) ? blocked : whoCan(permission)
  useActions(hotkey === undefined ? [] : [{ title: children, key: hotkey, blocked: reason, run: () => push(href) }])
  if (reason !== undefined) return <Button disabledReason={reason}>{children}</Button>
  return (
    <Link
      href={href}
      className={classNames(
        'inline-flex min-h-9 items-center justify-center gap-2 border px-3 py-1.5 max-rail:min-h-11 print:hidden',
        variant === 'primary'
          ? 'border-primary bg-primary font-semibold text-on-primary hover:bg-primary-hover'
          : 'border-line-strong bg-surface hover:bg-selected',
      )}
    >
      {children}
      {hotkey !== undefined && (
        <span aria-hidden="true" className="inline-flex max-rail:hidden">
          <Kbd>{hotkey.toUpperCase()}</Kbd>
        </span>
      )}
    </Link>
  )
}

/** Returns why an action is blocked for a person without `permission`. */
export const whoCan = (permission: Permission): string => t.onlyPeople({ people: peopleWith(permission) })
