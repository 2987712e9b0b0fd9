import type { Metadata } from 'next'

import { NewPolicy } from './new-policy.tsx'

export const metadata: Metadata = { title: 'Write a policy' }

export default function NewPolicyPage() {
  return <NewPolicy />
}
