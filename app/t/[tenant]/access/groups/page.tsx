import type { Metadata } from 'next'
import * as t from '#components/texts/access-groups/en.ts'
import { Groups } from './groups.tsx'

export const metadata: Metadata = { title: t.approverGroups }

export default function GroupsPage() {
  return <Groups />
}
