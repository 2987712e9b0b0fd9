import type { Metadata } from 'next'
import * as t from '#components/texts/access-keys/en.ts'
import { ApiKeys } from './api-keys.tsx'

export const metadata: Metadata = { title: t.apiKeys }

export default function ApiKeysPage() {
  return <ApiKeys />
}
