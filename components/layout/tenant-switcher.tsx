'use client'

import Link from 'next/link'
import { Menu, MenuHeading, MenuLink } from '#components/ui/controls/menu.tsx'
import { CheckIcon, ChooseIcon } from '#components/ui/status/icons.tsx'
import { homePath } from '#lib/paths.ts'

/** An organisation of the person, including the current one. */
export type FrameMembership = { externalId: string; name: string /** What the person is there. */; role: string }

type TenantSwitcherProps = {
  /** External id of the tenant in the address. */
  tenant: string
  memberships: FrameMembership[]
}

/** A menu of the person's organisations; empty for a person with only one. Items are links, so that each can be opened in a tab. */
export function TenantSwitcher({ tenant, memberships }: TenantSwitcherProps) {
  if (!memberships.some(({ externalId }) => externalId !== tenant)) return null
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          aria-label="Switch organisation"
          className="inline-grid size-9 shrink-0 place-items-center hover:bg-selected"
        >
          <ChooseIcon />
        </button>
      }
    >
      <MenuHeading>Your organisations</MenuHeading>
      {memberships.map(({ externalId, name, role }) => (
        <MenuLink key={externalId}>
          <Link href={homePath(externalId)} prefetch={false} aria-current={externalId === tenant || undefined}>
            <span className="inline-grid size-5 shrink-0 place-items-center">
              {externalId === tenant && <CheckIcon />}
            </span>
            <span className="flex min-w-0 flex-col">
              <span className="truncate">{name}</span>
              <span className="text-dense text-ink-2">{role}</span>
            </span>
          </Link>
        </MenuLink>
      ))}
    </Menu>
  )
}
