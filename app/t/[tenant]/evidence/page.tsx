import type { Metadata } from 'next'
import * as t from '#components/texts/evidence/en.ts'

import { Evidence } from './evidence.tsx'

export const metadata: Metadata = { title: t.evidence }

export default function EvidencePage() {
  return <Evidence />
}
