import type { Metadata } from 'next'
import * as t from '#components/texts/access-machines/en.ts'
import { ConnectionTokens } from './connection-tokens.tsx'

export const metadata: Metadata = { title: t.connectionTokens }

export default function ConnectionTokensPage() {
  return <ConnectionTokens />
}
