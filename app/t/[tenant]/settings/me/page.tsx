import type { Metadata } from 'next'
import * as t from '#components/texts/settings-me/en.ts'
import { You } from './you.tsx'

export const metadata: Metadata = { title: t.you }

export default function YouPage() {
  return <You />
}
