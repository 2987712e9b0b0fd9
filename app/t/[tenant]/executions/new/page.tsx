import type { Metadata } from 'next'
import { Suspense } from 'react'
import * as t from '#components/texts/execution-start/en.ts'

import { StartExecution } from './start-execution.tsx'

export const metadata: Metadata = { title: t.startExecution }

export default function StartExecutionPage() {
  return (
    <Suspense>
      <StartExecution />
    </Suspense>
  )
}
