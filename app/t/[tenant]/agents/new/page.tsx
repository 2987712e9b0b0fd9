import type { Metadata } from 'next'
import { Suspense } from 'react'
import * as t from '#components/texts/agent/en.ts'

import { RegisterAgent } from './register-agent.tsx'

export const metadata: Metadata = { title: t.registerAgent }

export default function RegisterAgentPage() {
  return (
    <Suspense>
      <RegisterAgent />
    </Suspense>
  )
}
