'use client'

import { MenuButton } from '#components/ui/controls/menu-button.tsx'
import { PersonIcon } from '#components/ui/status/icons.tsx'
import { useTheme } from './theme.ts'
import type { UserMenuItemsProps } from './user-menu-items.tsx'

const load = () => import('./user-menu-items.tsx').then((module) => module.UserMenuItems)

/** The signed-in person, the theme, and signing out. */
export function UserMenu(props: UserMenuItemsProps) {
  const { user } = props
  // Follows a choice that is made in another tab.
  useTheme()
  return (
    <MenuButton
      load={load}
      props={props}
      trigger={
        <button
          type="button"
          aria-label={user ? `${user.name}: theme and sign out` : 'Theme'}
          className="flex min-h-9 min-w-9 items-center justify-center gap-2 px-2 hover:bg-selected"
        >
          <PersonIcon size="size-5" className="rail:hidden" />
          <span className="hidden max-w-60 truncate rail:inline">{user?.name ?? 'Theme'}</span>
        </button>
      }
    />
  )
}
