import type { Metadata } from 'next'
import { Secrets } from './secrets.tsx'

export const metadata: Metadata = { title: 'Secrets' }

export default function SecretsPage() {
  return <Secrets />
}
