import type { Metadata } from 'next'
import { ConnectionTokens } from './connection-tokens.tsx'

export const metadata: Metadata = { title: 'Connection tokens' }

export default function ConnectionTokensPage() {
  return <ConnectionTokens />
}
