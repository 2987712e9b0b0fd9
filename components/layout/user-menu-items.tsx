'use client'

import { MenuChoice, MenuHeading, MenuItem, MenuRule } from '#components/ui/controls/menu.tsx'
import type { FrameUser } from './frame-parts.ts'
import { THEME_CHOICES, useTheme } from './theme.ts'

export type UserMenuItemsProps = { user: FrameUser | undefined; onSignOut: (() => void) | undefined }

export function UserMenuItems({ user, onSignOut }: UserMenuItemsProps) {
  const [theme, chooseTheme] = useTheme()
  return (
    <>
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
    </>
  )
}
