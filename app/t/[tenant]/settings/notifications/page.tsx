import type { Metadata } from 'next'
import { NotificationsPage } from './notifications.tsx'

export const metadata: Metadata = { title: 'Notifications' }

export default function SettingsNotificationsPage() {
  return <NotificationsPage />
}
