import type { Metadata } from 'next'
import * as t from '#components/texts/access-keys/en.ts'
import { Secrets } from './secrets.tsx'

export const metadata: Metadata = { title: t.secrets }

export default function SecretsPage() {
  return <Secrets />
}
