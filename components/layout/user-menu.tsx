'use client'

import { Menu, MenuChoice, MenuHeading, MenuItem, MenuRule } from '#components/ui/controls/menu.tsx'
import { PersonIcon } from '#components/ui/status/icons.tsx'
import type { FrameUser } from './frame-parts.ts'
import { THEME_CHOICES, useTheme } from './theme.ts'

type UserMenuProps = { user: FrameUser | undefined; onSignOut: (() => void) | undefined }

/** The signed-in person, the theme, and signing out. */
export function UserMenu({ user, onSignOut }: UserMenuProps) {
  const [theme, chooseTheme] = useTheme()
  return (
    <Menu
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
    >
      {user && (
        <MenuHeading>
          <span className="block text-base text-ink">{user.name}</span>
          {user.role}
        </MenuHeading>
      )}
      {user && <MenuRule />}
      <MenuChoice heading="Theme" value={theme} options={THEME_CHOICES} onChange={chooseTheme} />
      {onSignOut && <MenuRule />}
      {onSignOut && <MenuItem onSelect={onSignOut}>Sign out</MenuItem>}
    </Menu>
  )
}
