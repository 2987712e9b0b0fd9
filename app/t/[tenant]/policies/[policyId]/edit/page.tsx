import type { Metadata } from 'next'
import { Suspense } from 'react'
import { placeholder } from '#lib/paths.ts'
import { EditPolicy } from './edit-policy.tsx'

export const metadata: Metadata = { title: 'New version of a policy' }

export const generateStaticParams = () => [{ policyId: placeholder('policyId') }]

export default function EditPolicyPage() {
  return (
    <Suspense>
      <EditPolicy />
    </Suspense>
  )
}
