import type { Metadata } from 'next'
import { Suspense } from 'react'
import * as t from '#components/texts/audit/en.ts'

import { Audit } from './audit.tsx'

export const metadata: Metadata = { title: t.audit }

export default function AuditPage() {
  return (
    <Suspense>
      <Audit />
    </Suspense>
  )
}
