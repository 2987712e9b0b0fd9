import type { Metadata } from 'next'

import { Policies } from './policies.tsx'

export const metadata: Metadata = { title: 'Policies' }

export default function PoliciesPage() {
  return <Policies />
}
