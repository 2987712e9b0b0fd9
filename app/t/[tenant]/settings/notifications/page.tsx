import type { Metadata } from 'next'
import * as t from '#components/texts/settings-notifications/en.ts'
import { NotificationsPage } from './notifications.tsx'

export const metadata: Metadata = { title: t.notifications }

export default function SettingsNotificationsPage() {
  return <NotificationsPage />
}
