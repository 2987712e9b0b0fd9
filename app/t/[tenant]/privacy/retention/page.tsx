import type { Metadata } from 'next'
import * as t from '#components/texts/privacy/en.ts'
import { Retention } from './retention.tsx'

export const metadata: Metadata = { title: t.retention }

export default function RetentionPage() {
  return <Retention />
}
