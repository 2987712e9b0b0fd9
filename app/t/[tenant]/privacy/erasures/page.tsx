import type { Metadata } from 'next'
import { Erasures } from './erasures.tsx'

export const metadata: Metadata = { title: 'Erasures' }

export default function ErasuresPage() {
  return <Erasures />
}
