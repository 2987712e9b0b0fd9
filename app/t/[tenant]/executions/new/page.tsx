import type { Metadata } from 'next'
import { Suspense } from 'react'

import { StartExecution } from './start-execution.tsx'

export const metadata: Metadata = { title: 'Start an execution' }

export default function StartExecutionPage() {
  return (
    <Suspense>
      <StartExecution />
    </Suspense>
  )
}
