import type { Metadata } from 'next'
import { Suspense } from 'react'
import * as t from '#components/texts/policy/en.ts'
import { placeholder } from '#lib/paths.ts'
import { Policy } from './policy.tsx'

export const metadata: Metadata = { title: t.policy }

export const generateStaticParams = () => [{ policyId: placeholder('policyId') }]

export default function PolicyPage() {
  return (
    <Suspense>
      <Policy />
    </Suspense>
  )
}
