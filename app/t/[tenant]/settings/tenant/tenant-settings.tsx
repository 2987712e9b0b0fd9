'use client'

import { useQuery } from '#components/api/query.ts'
import { Section } from '#components/page/section.tsx'
import { MissingPermission, RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { SettingsPage } from '#components/settings/settings-page.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { useTRPC } from '#lib/trpc.ts'
import { BrandingForm } from './branding-form.tsx'
import { Dangers } from './dangers.tsx'
import { FirstDay } from './first-day.tsx'
import { RulesForm } from './rules-form.tsx'
import { SettingsHistory } from './settings-history.tsx'

/** The settings of the organisation: its rules and its branding. */
export function TenantSettingsPage() {
  const { me, can } = useSession()
  return (
    <SettingsPage page="tenant" title={`Settings of ${me.tenant.branding.displayName || me.tenant.displayName}`}>
      {!can('tenant:manage') && (
        <MissingPermission act="change the organisation’s settings" permission="tenant:manage" />
      )}
      {can('tenant:manage') && can('member:manage') && can('agent:read') && can('policy:read') && <FirstDay />}
      <Section title="Rules">
        <Rules />
      </Section>
      {can('audit:read') && (
        <Section title="History">
          <SettingsHistory />
        </Section>
      )}
      <Section title="Branding">
        {/* The key resets the form after someone else changes the tenant, because saving the typed values would undo that change. */}
        <BrandingForm key={me.tenantRevision} branding={me.tenant.branding} revision={me.tenantRevision} />
      </Section>
    </SettingsPage>
  )
}

function Rules() {
  const { me, can } = useSession()
  const trpc = useTRPC()
  const manages = can('tenant:manage')
  const { data, error, refetch } = useQuery(trpc.tenants.getSettings.queryOptions(undefined, { enabled: manages }))
  const shown = manages ? data : { settings: me.settings, revision: me.tenantRevision, pending: null, issuers: [] }
  if (shown !== undefined)
    return (
      <>
        <Dangers settings={shown.settings} />
        <RulesForm key={shown.revision} {...shown} />
      </>
    )
  if (error === null) return <Skeleton label="Loading the rules…" rows={6} />
  return (
    <RequestFailed
      error={error}
      what="The rules"
      plural
      act="change the organisation’s settings"
      permission="tenant:manage"
      retry={() => void refetch()}
    />
  )
}
