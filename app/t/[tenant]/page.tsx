import type { Metadata } from 'next'
import * as t from '#components/texts/home/en.ts'
import { Home } from './home/home.tsx'

export const metadata: Metadata = { title: t.title }

export default function HomePage() {
  return <Home />
}
