import type { Metadata } from 'next'
import { PlainPage } from '#components/layout/plain-page.tsx'
import { VerifyArchive } from './verify-archive.tsx'

export const metadata: Metadata = { title: 'Verify an evidence archive' }

export default function VerifyPage() {
  return (
    <PlainPage title="Verify an evidence archive">
      <VerifyArchive />
    </PlainPage>
  )
}
