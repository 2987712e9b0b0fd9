import type { Metadata } from 'next'
import { Suspense } from 'react'
import * as t from '#components/texts/policy/en.ts'

import { NewPolicy } from './new-policy.tsx'

export const metadata: Metadata = { title: t.writePolicy }

export default function NewPolicyPage() {
  return (
    <Suspense>
      <NewPolicy />
    </Suspense>
  )
}
