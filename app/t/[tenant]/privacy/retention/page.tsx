import type { Metadata } from 'next'
import { Retention } from './retention.tsx'

export const metadata: Metadata = { title: 'Retention' }

export default function RetentionPage() {
  return <Retention />
}
