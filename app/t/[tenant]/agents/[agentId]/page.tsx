import type { Metadata } from 'next'
import { placeholder } from '#lib/paths.ts'
import { Agent } from './agent.tsx'

export const metadata: Metadata = { title: 'Agent' }

export const generateStaticParams = () => [{ agentId: placeholder('agentId') }]

export default function AgentPage() {
  return <Agent />
}
