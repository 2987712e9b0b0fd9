import type { Metadata } from 'next'
import { Suspense } from 'react'
import * as t from '#components/texts/approvals/en.ts'
import { Inbox } from './inbox.tsx'

export const metadata: Metadata = { title: t.approvals }

export default function ApprovalsPage() {
  return (
    <Suspense>
      <Inbox />
    </Suspense>
  )
}
