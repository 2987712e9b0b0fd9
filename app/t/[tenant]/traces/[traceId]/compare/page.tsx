import type { Metadata } from 'next'
import { Suspense } from 'react'
import * as t from '#components/texts/trace-compare/en.ts'
import { placeholder } from '#lib/paths.ts'
import { CompareTraces } from './compare-traces.tsx'

export const metadata: Metadata = { title: t.compareTraces }

export const generateStaticParams = () => [{ traceId: placeholder('traceId') }]

export default function ComparePage() {
  return (
    <Suspense>
      <CompareTraces />
    </Suspense>
  )
}
