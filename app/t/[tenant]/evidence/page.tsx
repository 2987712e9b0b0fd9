import type { Metadata } from 'next'

import { Evidence } from './evidence.tsx'

export const metadata: Metadata = { title: 'Evidence' }

export default function EvidencePage() {
  return <Evidence />
}
