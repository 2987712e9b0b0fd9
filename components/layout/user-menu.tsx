'use client'

import * as t from '#components/texts/shell/en.ts'
import { MenuButton } from '#components/ui/controls/menu-button.tsx'
import { useTheme } from './theme.ts'
import type { UserMenuItemsProps } from './user-menu-items.tsx'

const load = () => import('./user-menu-items.tsx').then((module) => module.UserMenuItems)

/** The first letters of a person's first and last name. */
function Monogram({ name = '' }: { name: string | undefined }) {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? []
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => word?.charAt(0).toUpperCase())
  return (
    <span
      aria-hidden="true"
      // Not as text, which would have to be in the button's name.
      data-letters={letters.join('')}
      className="inline-grid size-6 shrink-0 place-items-center border border-line-strong font-semibold text-[0.6875rem] before:content-[attr(data-letters)]"
    />
  )
}

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
          aria-label={user ? t.userMenu({ name: user.name }) : t.theme}
          className="flex min-h-9 min-w-9 items-center justify-center gap-2 px-2 hover:bg-selected"
        >
          <Monogram name={user?.name} />
          <span className="hidden max-w-60 truncate rail:inline">{user?.name ?? t.theme}</span>
        </button>
      }
    />
  )
}
