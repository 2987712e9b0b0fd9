'use client'

import Link from 'next/link'
import * as t from '#components/texts/menus/en.ts'
import { MenuHeading, MenuLink } from '#components/ui/controls/menu.tsx'
import { CheckIcon } from '#components/ui/status/icons.tsx'
import { homePath } from '#lib/paths.ts'
import type { TenantSwitcherProps } from './tenant-switcher.tsx'

export function TenantItems({ tenant, memberships }: TenantSwitcherProps) {
  return (
    <>
      <MenuHeading>{t.organisations}</MenuHeading>
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
    </>
  )
}
