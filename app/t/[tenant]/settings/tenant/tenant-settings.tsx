'use client'

import { useQuery } from '#components/api/query.ts'
import { Section } from '#components/page/section.tsx'
import { MissingPermission, RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { SettingsPage } from '#components/settings/settings-page.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { useTRPC } from '#lib/trpc.ts'
import { BrandingForm } from './branding-form.tsx'
import { RulesForm } from './rules-form.tsx'

/** The settings of the organisation: its rules and its branding. */
export function TenantSettingsPage() {
  const { me, can } = useSession()
  return (
    <SettingsPage page="tenant" title={`Settings of ${me.tenant.branding.displayName || me.tenant.displayName}`}>
      {!can('tenant:manage') && (
        <MissingPermission act="change the organisation’s settings" permission="tenant:manage" />
      )}
      <Section title="Rules">
        <Rules />
      </Section>
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
  if (!manages) return <RulesForm settings={me.settings} revision={me.tenantRevision} pending={null} />
  if (data !== undefined) return <RulesForm key={data.revision} {...data} />
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
