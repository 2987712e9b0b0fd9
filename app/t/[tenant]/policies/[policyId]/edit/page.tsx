import type { Metadata } from 'next'
import { Suspense } from 'react'
import * as t from '#components/texts/policy/en.ts'
import { placeholder } from '#lib/paths.ts'
import { EditPolicy } from './edit-policy.tsx'

export const metadata: Metadata = { title: t.newVersionOfPolicy }

export const generateStaticParams = () => [{ policyId: placeholder('policyId') }]

export default function EditPolicyPage() {
  return (
    <Suspense>
      <EditPolicy />
    </Suspense>
  )
}
