import type { Metadata } from 'next'

import { Executions } from './executions.tsx'

export const metadata: Metadata = { title: 'Executions' }

export default function ExecutionsPage() {
  return <Executions />
}
