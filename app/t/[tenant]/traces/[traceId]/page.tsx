import type { Metadata } from 'next'
import { Suspense } from 'react'
import { placeholder } from '#lib/paths.ts'
import { Trace } from './trace.tsx'

export const metadata: Metadata = { title: 'Trace' }

export const generateStaticParams = () => [{ traceId: placeholder('traceId') }]

export default function TracePage() {
  return (
    <Suspense>
      <Trace />
    </Suspense>
  )
}
