import type { Metadata } from 'next'
import { Suspense } from 'react'

import { Executions } from './executions.tsx'

export const metadata: Metadata = { title: 'Executions' }

export default function ExecutionsPage() {
  return (
    <Suspense>
      <Executions />
    </Suspense>
  )
}
