import type { Metadata } from 'next'
import * as t from '#components/texts/alarms/en.ts'
import { Alarms } from './alarms.tsx'

export const metadata: Metadata = { title: t.alarms }

export default function AlarmsPage() {
  return <Alarms />
}
