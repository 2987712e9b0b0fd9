import type { Metadata } from 'next'
import * as t from '#components/texts/policy/en.ts'
import { placeholder } from '#lib/paths.ts'
import { Decision } from './decision.tsx'

export const metadata: Metadata = { title: t.policyDecision }

export const generateStaticParams = () => [{ decisionId: placeholder('decisionId') }]

export default function DecisionPage() {
  return <Decision />
}
