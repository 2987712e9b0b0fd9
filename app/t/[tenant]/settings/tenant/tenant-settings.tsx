'use client'

import { Fragment } from 'react'
import { useQuery } from '#components/api/query.ts'
import { Section } from '#components/page/section.tsx'
import { MissingPermission, RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { SettingsPage } from '#components/settings/settings-page.tsx'
import * as t from '#components/texts/settings-tenant/en.ts'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { useTRPC } from '#lib/trpc.ts'
import { BrandingForm } from './branding-form.tsx'
import { Dangers } from './dangers.tsx'
import { AfterFirstDay } from './first-day.tsx'
import { RulesForm } from './rules-form.tsx'
import { SettingsHistory } from './settings-history.tsx'

const mayDoFirstDay = ['tenant:manage', 'member:manage', 'agent:read', 'policy:read'] as const

/** The settings of the organisation: its rules and its branding. */
export function TenantSettingsPage() {
  const { me, can } = useSession()
  const Below = mayDoFirstDay.every(can) ? AfterFirstDay : Fragment
  return (
    <SettingsPage
      page="tenant"
      title={t.settingsOf({ organisation: me.tenant.branding.displayName || me.tenant.displayName })}
    >
      {!can('tenant:manage') && <MissingPermission act={t.changeOrganisationsSettings} permission="tenant:manage" />}
      <Below>
        <Section title={t.rules}>
          <Rules />
        </Section>
        {can('audit:read') && (
          <Section title={t.history}>
            <SettingsHistory />
          </Section>
        )}
        <Section title={t.branding}>
          {/* The key resets the form after someone else changes it, because saving the typed values would undo that change. */}
          <BrandingForm
            key={JSON.stringify(me.tenant.branding)}
            branding={me.tenant.branding}
            revision={me.tenantRevision}
          />
        </Section>
      </Below>
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
        <RulesForm key={JSON.stringify(shown.settings)} {...shown} />
      </>
    )
  if (error === null) return <Skeleton label={t.loadingRules} rows={6} />
  return (
    <RequestFailed
      error={error}
      what={t.theRules}
      plural
      act={t.changeOrganisationsSettings}
      permission="tenant:manage"
      retry={() => void refetch()}
    />
  )
}
