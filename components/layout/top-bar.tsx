'use client'

import Link from 'next/link'
import { Find } from '#components/actions/find.tsx'
import { homePath } from '#lib/paths.ts'
import type { FrameTenant, FrameUser } from './frame-parts.ts'
import { NarrowRail } from './narrow-rail.tsx'
import { TenantMark } from './tenant-mark.tsx'
import { type FrameMembership, TenantSwitcher } from './tenant-switcher.tsx'
import { TimeZoneMenu } from './time-zone.tsx'
import { UserMenu } from './user-menu.tsx'

type TopBarProps = {
  tenant: FrameTenant
  user: FrameUser | undefined
  memberships: FrameMembership[] | undefined
  waiting: number | undefined
  alarms: number | undefined
  sealedAt: string | null | undefined
  onSignOut: (() => void) | undefined
}

/** The tenant's stripe and name on the left, the person's settings on the right. 52 px with the stripe. */
export function TopBar({ tenant, user, memberships, waiting, alarms, sealedAt, onSignOut }: TopBarProps) {
  const name = tenant.name ?? tenant.externalId
  return (
    <header className="sticky top-0 z-20 h-13 border-line border-t-3 border-t-accent-mark border-b bg-surface print:hidden">
      <div className="mx-auto flex h-full max-w-frame items-center gap-2 px-2 rail:px-4">
        <div className="rail:hidden">
          <NarrowRail tenant={tenant.externalId} name={name} waiting={waiting} alarms={alarms} sealedAt={sealedAt} />
        </div>
        {/* The search begins where the page does. */}
        <div className="flex min-w-0 items-center gap-2 rail:min-w-50">
          <Link href={homePath(tenant.externalId)} prefetch={false} className="flex min-w-0 items-center gap-3 py-1">
            <TenantMark name={tenant.name} logoUrl={tenant.logoUrl} />
            <span className="truncate font-semibold">{name}</span>
          </Link>
          {memberships && <TenantSwitcher tenant={tenant.externalId} memberships={memberships} />}
        </div>
        <div className="ml-auto flex shrink-0 items-center justify-end gap-1 rail:grow">
          {user && <Find tenant={tenant.externalId} onSignOut={onSignOut} />}
          <TimeZoneMenu />
          <UserMenu user={user} onSignOut={onSignOut} />
        </div>
      </div>
    </header>
  )
}
