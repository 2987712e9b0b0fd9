import type { Metadata } from 'next'
import * as t from '#components/texts/agent/en.ts'
import { placeholder } from '#lib/paths.ts'
import { Agent } from './agent.tsx'

export const metadata: Metadata = { title: t.agent }

export const generateStaticParams = () => [{ agentId: placeholder('agentId') }]

export default function AgentPage() {
  return <Agent />
}
