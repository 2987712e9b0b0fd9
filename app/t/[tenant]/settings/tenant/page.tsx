import type { Metadata } from 'next'
import * as t from '#components/texts/settings-tenant/en.ts'
import { TenantSettingsPage } from './tenant-settings.tsx'

export const metadata: Metadata = { title: t.organisation }

export default function OrganisationPage() {
  return <TenantSettingsPage />
}
