import type { Metadata } from 'next'
import { Suspense } from 'react'
import * as t from '#components/texts/traces/en.ts'

import { Traces } from './traces.tsx'

export const metadata: Metadata = { title: t.traces }

export default function TracesPage() {
  return (
    <Suspense>
      <Traces />
    </Suspense>
  )
}
