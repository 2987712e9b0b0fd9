import type { Metadata } from 'next'
import { Suspense } from 'react'
import { placeholder } from '#lib/paths.ts'
import { CompareVersions } from './compare-versions.tsx'

export const metadata: Metadata = { title: 'Compare versions of an agent' }

export const generateStaticParams = () => [{ agentId: placeholder('agentId') }]

export default function ComparePage() {
  return (
    <Suspense>
      <CompareVersions />
    </Suspense>
  )
}
