import type { Metadata } from 'next'
import { Suspense } from 'react'
import { placeholder } from '#lib/paths.ts'
import { Policy } from './policy.tsx'

export const metadata: Metadata = { title: 'Policy' }

export const generateStaticParams = () => [{ policyId: placeholder('policyId') }]

export default function PolicyPage() {
  return (
    <Suspense>
      <Policy />
    </Suspense>
  )
}
