'use client'

import { useParams, useRouter } from 'next/navigation'
import { Fragment, type ReactNode, useEffect, useState } from 'react'
import { useOpenAlarms } from '#components/alarms/use-open-alarms.ts'
import { useLive } from '#components/api/api.tsx'
import { useQuery } from '#components/api/query.ts'
import { useNotices } from '#components/approvals/use-notices.ts'
import { useNeedsMe } from '#components/approvals/waiting.ts'
import { useSealedAt } from '#components/audit/use-sealed-at.ts'
import { DemoStrip } from '#components/layout/demo-strip.tsx'
import { Frame } from '#components/layout/frame.tsx'
import { useTitleCount } from '#components/layout/title-count.ts'
import { useOnline } from '#components/session/online.ts'
import { rolesText } from '#components/session/people-with.ts'
import { SessionGate } from '#components/session/session-gate.tsx'
import { type Session, SessionProvider, useTenantSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/shell/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { limits } from '#lib/limits.ts'
import { useTRPC } from '#lib/trpc.ts'

/** The frame for the tenant in the address, and the session in it. */
export function TenantFrame({ children }: { children: ReactNode }) {
  const { tenant } = useParams<{ tenant: string }>()
  return (
    <SessionProvider tenant={tenant}>
      <SessionFrame tenant={tenant}>{children}</SessionFrame>
    </SessionProvider>
  )
}

function SessionFrame({ tenant, children }: { tenant: string; children: ReactNode }) {
  const state = useTenantSession()
  const memberships = useMemberships(state.status === 'ready')
  const { data: needsMe } = useNeedsMe()
  const waiting = needsMe?.items.length
  useTitleCount(waiting ?? 0)
  const { push } = useRouter()
  useNotices(needsMe?.items, tenant, push)
  const alarms = useOpenAlarms().data?.items.length
  const sealedAt = useSealedAt()
  const content = <SessionGate tenant={tenant}>{children}</SessionGate>
  const demo = <DemoStrip tenant={tenant} />
  if (state.status !== 'ready')
    return (
      <Frame tenant={{ externalId: tenant }} banners={demo}>
        {content}
      </Frame>
    )
  const { me, identity, signOut } = state.session
  const { branding, displayName } = me.tenant
  const logoUrl = branding.logoMarkUrl ?? branding.logoUrl
  return (
    <Frame
      tenant={{
        externalId: tenant,
        name: branding.displayName || displayName,
        ...(branding.accentColor === null ? {} : { accent: branding.accentColor }),
        ...(logoUrl === null ? {} : { logoUrl }),
      }}
      user={{ name: me.principal.displayName, role: rolesText(me.principal.roles) }}
      {...(memberships === undefined ? {} : { memberships })}
      {...(waiting === undefined ? {} : { waiting })}
      {...(alarms === undefined ? {} : { alarms })}
      sealedAt={sealedAt}
      onSignOut={signOut}
      banners={
        <>
          {demo}
          <SessionBanners session={state.session} />
        </>
      }
    >
      {/* The key discards what one person typed when another person signs in. */}
      <Fragment key={identity.subject}>{content}</Fragment>
    </Frame>
  )
}

/** Returns the memberships for the tenant switcher, or undefined until they are loaded. */
function useMemberships(enabled: boolean) {
  const trpc = useTRPC()
  const { data } = useQuery(trpc.tenants.list.queryOptions({ limit: limits.pageRows }, { enabled, staleTime: 300_000 }))
  return data?.items.map(({ externalId, displayName, branding, roles }) => ({
    externalId,
    name: branding.displayName || displayName,
    role: rolesText(roles),
  }))
}

function SessionBanners({ session: { ended, signInAgain } }: { session: Session }) {
  const online = useOnline()
  const down = useLongDown()
  if (ended)
    return (
      <Banner tone="warn" urgency="alert" action={<Button onClick={signInAgain}>{t.signInAgain}</Button>}>
        {t.sessionEnded}
      </Banner>
    )
  if (!online) return <Banner tone="warn">{t.offline}</Banner>
  if (down) return <Banner tone="warn">{t.interrupted}</Banner>
  return null
}

/** Most interruptions are shorter and need no message, in milliseconds. */
const longDownMs = 10_000

/** Whether the socket has been down for a while. */
function useLongDown(): boolean {
  const live = useLive()
  const [long, setLong] = useState(false)
  useEffect(() => {
    if (live) return
    const timer = setTimeout(() => setLong(true), longDownMs)
    return () => {
      clearTimeout(timer)
      setLong(false)
    }
  }, [live])
  return long
}
