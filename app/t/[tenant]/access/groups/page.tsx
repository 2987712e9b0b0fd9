import type { Metadata } from 'next'
import { Groups } from './groups.tsx'

export const metadata: Metadata = { title: 'Approver groups' }

export default function GroupsPage() {
  return <Groups />
}
