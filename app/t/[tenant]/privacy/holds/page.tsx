import type { Metadata } from 'next'
import { Holds } from './holds.tsx'

export const metadata: Metadata = { title: 'Legal holds' }

export default function HoldsPage() {
  return <Holds />
}
