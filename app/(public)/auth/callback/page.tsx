import type { Metadata } from 'next'
import * as t from '#components/texts/public/en.ts'
import { Callback } from './callback.tsx'

export const metadata: Metadata = { title: t.signingIn }

export default function CallbackPage() {
  return <Callback />
}
