'use client'

import type { ReactNode } from 'react'
import { useKeptFocus } from '#components/keyboard/keep-focus.ts'
import * as t from '#components/texts/shell/en.ts'
import { useCountedPress } from '#components/ui/controls/counted-press.ts'
import { LiveNotices } from '#components/ui/feedback/live-notice.tsx'
import type { FrameTenant, FrameUser } from './frame-parts.ts'
import { Rail } from './rail.tsx'
import { useTenantAccent } from './tenant-accent.ts'
import type { FrameMembership } from './tenant-switcher.tsx'
import { TimeZoneProvider } from './time-zone.tsx'
import { TopBar } from './top-bar.tsx'

/** The tenant as shown in the frame. Its external id replaces the name until that is loaded. */
export type FrameProps = {
  tenant: FrameTenant
  /** Undefined before and without a sign-in. */
  user?: FrameUser
  /** All of the person's organisations. */
  memberships?: FrameMembership[]
  /** Approvals that wait for this person. */
  waiting?: number
  /** Open alarms. */
  alarms?: number
  /** When today's log was last signed; null before the first time. */
  sealedAt?: string | null | undefined
  onSignOut?: () => void
  /** Offline, demo or session banners, above the page. */
  banners?: ReactNode
  children: ReactNode
}

/** Everything around a page of a tenant: stripe, top bar, rail. */
export function Frame({
  tenant,
  user,
  memberships,
  waiting,
  alarms,
  sealedAt,
  onSignOut,
  banners,
  children,
}: FrameProps) {
  useTenantAccent(tenant.accent)
  useKeptFocus()
  useCountedPress()
  return (
    <TimeZoneProvider>
      <LiveNotices>
        <a
          href="#main"
          className="sr-only z-50 bg-primary text-on-primary focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:px-3 focus:py-2"
        >
          {t.skip}
        </a>
        <div className="flex min-h-dvh flex-col">
          <TopBar
            tenant={tenant}
            user={user}
            memberships={memberships}
            waiting={waiting}
            alarms={alarms}
            sealedAt={sealedAt}
            onSignOut={onSignOut}
          />
          <div className="mx-auto flex w-full max-w-frame grow wide-frame:border-line wide-frame:border-x">
            <div className="hidden w-49 shrink-0 border-line border-r rail:block print:hidden">
              <div className="sticky top-13 flex h-[calc(100dvh-3.25rem)] flex-col overflow-y-auto px-2 py-4">
                <Rail tenant={tenant.externalId} waiting={waiting} alarms={alarms} sealedAt={sealedAt} />
              </div>
            </div>
            <div className="flex min-w-0 grow flex-col">
              {banners}
              <main id="main" tabIndex={-1} className="flex grow flex-col">
                {children}
              </main>
            </div>
          </div>
        </div>
      </LiveNotices>
    </TimeZoneProvider>
  )
}
