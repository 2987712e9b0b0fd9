import type { Metadata } from 'next'
import { placeholder } from '#lib/paths.ts'
import { Decision } from './decision.tsx'

export const metadata: Metadata = { title: 'Policy decision' }

export const generateStaticParams = () => [{ decisionId: placeholder('decisionId') }]

export default function DecisionPage() {
  return <Decision />
}
