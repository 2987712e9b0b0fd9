import type { Metadata } from 'next'
import { Callback } from './callback.tsx'

export const metadata: Metadata = { title: 'Signing you in' }

export default function CallbackPage() {
  return <Callback />
}
