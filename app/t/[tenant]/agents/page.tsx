import type { Metadata } from 'next'

import { Agents } from './agents.tsx'

export const metadata: Metadata = { title: 'Agents' }

export default function AgentsPage() {
  return <Agents />
}
