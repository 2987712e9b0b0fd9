import type { Metadata } from 'next'
import { You } from './you.tsx'

export const metadata: Metadata = { title: 'You' }

export default function YouPage() {
  return <You />
}
