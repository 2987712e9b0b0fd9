import type { Metadata } from 'next'
import { Suspense } from 'react'
import * as t from '#components/texts/execution/en.ts'
import { placeholder } from '#lib/paths.ts'
import { Execution } from './execution.tsx'

export const metadata: Metadata = { title: t.execution }

export const generateStaticParams = () => [{ executionId: placeholder('executionId') }]

export default function ExecutionPage() {
  return (
    <Suspense>
      <Execution />
    </Suspense>
  )
}
