import type { Metadata } from 'next'
import { PlainPage } from '#components/layout/plain-page.tsx'
import * as t from '#components/texts/verify/en.ts'
import { VerifyArchive } from './verify-archive.tsx'

export const metadata: Metadata = { title: t.title }

export default function VerifyPage() {
  return (
    <PlainPage title={t.title}>
      <VerifyArchive />
    </PlainPage>
  )
}
