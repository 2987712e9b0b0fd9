import type { Metadata } from 'next'
import { Suspense } from 'react'
import { placeholder } from '#lib/paths.ts'
import { Execution } from './execution.tsx'

export const metadata: Metadata = { title: 'Execution' }

export const generateStaticParams = () => [{ executionId: placeholder('executionId') }]

export default function ExecutionPage() {
  return (
    <Suspense>
      <Execution />
    </Suspense>
  )
}
