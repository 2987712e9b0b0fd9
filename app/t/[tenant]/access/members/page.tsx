import type { Metadata } from 'next'
import * as t from '#components/texts/access-members/en.ts'
import { Members } from './members.tsx'

export const metadata: Metadata = { title: t.members }

export default function MembersPage() {
  return <Members />
}
