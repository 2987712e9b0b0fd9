import type { Metadata } from 'next'
import { ServiceAccounts } from './service-accounts.tsx'

export const metadata: Metadata = { title: 'Service accounts' }

export default function ServiceAccountsPage() {
  return <ServiceAccounts />
}
