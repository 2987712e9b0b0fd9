import type { Metadata } from 'next'
import * as t from '#components/texts/policies/en.ts'

import { Policies } from './policies.tsx'

export const metadata: Metadata = { title: t.policies }

export default function PoliciesPage() {
  return <Policies />
}
