import type { Metadata } from 'next'
import { Suspense } from 'react'

import { RegisterAgent } from './register-agent.tsx'

export const metadata: Metadata = { title: 'Register an agent' }

export default function RegisterAgentPage() {
  return (
    <Suspense>
      <RegisterAgent />
    </Suspense>
  )
}
