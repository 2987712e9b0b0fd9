import type { Metadata } from 'next'
import { TenantSettingsPage } from './tenant-settings.tsx'

export const metadata: Metadata = { title: 'Organisation' }

export default function OrganisationPage() {
  return <TenantSettingsPage />
}
