import type { Metadata } from 'next'
import * as t from '#components/texts/agents/en.ts'

import { Agents } from './agents.tsx'

export const metadata: Metadata = { title: t.agents }

export default function AgentsPage() {
  return <Agents />
}
