'use client'

import { useTenantSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/menus/en.ts'
import { MenuChoice, MenuHeading, MenuItem, MenuRule } from '#components/ui/controls/menu.tsx'
import type { FrameUser } from './frame-parts.ts'
import { LanguageChoice, OwnLanguageChoice } from './language-choice.tsx'
import { type ThemeChoice, useTheme } from './theme.ts'

export type UserMenuItemsProps = { user: FrameUser | undefined; onSignOut: (() => void) | undefined }

const themes: { value: ThemeChoice; label: string }[] = [
  { value: 'system', label: t.matchDevice },
  { value: 'light', label: t.light },
  { value: 'dark', label: t.dark },
]

export function UserMenuItems({ user, onSignOut }: UserMenuItemsProps) {
  const [theme, chooseTheme] = useTheme()
  const state = useTenantSession()
  return (
    <>
      {user && (
        <MenuHeading>
          <span className="block text-base text-ink">{user.name}</span>
          {user.role}
        </MenuHeading>
      )}
      {user && <MenuRule />}
      <MenuChoice heading={t.theme} value={theme} options={themes} onChange={chooseTheme} />
      {state.status === 'ready' ? <OwnLanguageChoice session={state.session} /> : <LanguageChoice />}
      {onSignOut && <MenuRule />}
      {onSignOut && <MenuItem onSelect={onSignOut}>{t.signOut}</MenuItem>}
    </>
  )
}
