import type { Metadata } from 'next'
import { Suspense } from 'react'

import { Traces } from './traces.tsx'

export const metadata: Metadata = { title: 'Traces' }

export default function TracesPage() {
  return (
    <Suspense>
      <Traces />
    </Suspense>
  )
}
