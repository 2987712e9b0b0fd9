import type { Metadata } from 'next'
import { Alarms } from './alarms.tsx'

export const metadata: Metadata = { title: 'Alarms' }

export default function AlarmsPage() {
  return <Alarms />
}
