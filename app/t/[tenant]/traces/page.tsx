import type { Metadata } from 'next'

import { Traces } from './traces.tsx'

export const metadata: Metadata = { title: 'Traces' }

export default function TracesPage() {
  return <Traces />
}
