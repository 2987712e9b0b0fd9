import type { Metadata } from 'next'
import * as t from '#components/texts/privacy/en.ts'
import { Erasures } from './erasures.tsx'

export const metadata: Metadata = { title: t.erasures }

export default function ErasuresPage() {
  return <Erasures />
}
