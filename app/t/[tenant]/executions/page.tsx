import type { Metadata } from 'next'
import { Suspense } from 'react'
import * as t from '#components/texts/executions/en.ts'

import { Executions } from './executions.tsx'

export const metadata: Metadata = { title: t.executions }

export default function ExecutionsPage() {
  return (
    <Suspense>
      <Executions />
    </Suspense>
  )
}
