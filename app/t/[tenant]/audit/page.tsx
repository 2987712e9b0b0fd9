import type { Metadata } from 'next'
import { Suspense } from 'react'

import { Audit } from './audit.tsx'

export const metadata: Metadata = { title: 'Audit' }

export default function AuditPage() {
  return (
    <Suspense>
      <Audit />
    </Suspense>
  )
}
