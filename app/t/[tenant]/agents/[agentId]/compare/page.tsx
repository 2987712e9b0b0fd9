import type { Metadata } from 'next'
import { Suspense } from 'react'
import * as t from '#components/texts/agent/en.ts'
import { placeholder } from '#lib/paths.ts'
import { CompareVersions } from './compare-versions.tsx'

export const metadata: Metadata = { title: t.compareVersionsOfAgent }

export const generateStaticParams = () => [{ agentId: placeholder('agentId') }]

export default function ComparePage() {
  return (
    <Suspense>
      <CompareVersions />
    </Suspense>
  )
}
