import type { Metadata } from 'next'
import * as t from '#components/texts/access-machines/en.ts'
import { ServiceAccounts } from './service-accounts.tsx'

export const metadata: Metadata = { title: t.serviceAccounts }

export default function ServiceAccountsPage() {
  return <ServiceAccounts />
}
