import type { Metadata } from 'next'
import { Suspense } from 'react'
import * as t from '#components/texts/traces/en.ts'
import { placeholder } from '#lib/paths.ts'
import { Trace } from './trace.tsx'

export const metadata: Metadata = { title: t.trace }

export const generateStaticParams = () => [{ traceId: placeholder('traceId') }]

export default function TracePage() {
  return (
    <Suspense>
      <Trace />
    </Suspense>
  )
}
