import type { Metadata } from 'next'
import { Suspense } from 'react'
import * as t from '#components/texts/approval-case/en.ts'
import { placeholder } from '#lib/paths.ts'
import { ApprovalPage } from './approval-page.tsx'

export const metadata: Metadata = { title: t.approval }

export function generateStaticParams() {
  return [{ approvalId: placeholder('approvalId') }]
}

export default function Page() {
  return (
    <Suspense>
      <ApprovalPage />
    </Suspense>
  )
}
