import type { Metadata } from 'next'
import { Suspense } from 'react'

import { NewPolicy } from './new-policy.tsx'

export const metadata: Metadata = { title: 'Write a policy' }

export default function NewPolicyPage() {
  return (
    <Suspense>
      <NewPolicy />
    </Suspense>
  )
}
