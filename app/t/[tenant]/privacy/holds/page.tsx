import type { Metadata } from 'next'
import * as t from '#components/texts/privacy/en.ts'
import { Holds } from './holds.tsx'

export const metadata: Metadata = { title: t.legalHolds }

export default function HoldsPage() {
  return <Holds />
}
