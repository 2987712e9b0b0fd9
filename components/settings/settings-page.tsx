'use client'

import Link from 'next/link'
import type { ReactNode } from 'react'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/settings-me/en.ts'
import { TabLinks } from '#components/ui/controls/tab-links.tsx'
import { type SettingsPage as SettingsArea, settingsPath } from '#lib/paths.ts'

const AREAS: { page: SettingsArea; label: string }[] = [
  { page: 'me', label: t.you },
  { page: 'tenant', label: t.organisation },
  { page: 'notifications', label: t.notifications },
]

/** One of the pages of settings. */
export function SettingsPage({ page, title, children }: { page: SettingsArea; title: string; children: ReactNode }) {
  const { tenant } = useSession()
  return (
    <Page>
      <PageHeader title={title} />
      <TabLinks
        label={t.settings}
        link={Link}
        tabs={AREAS.map((area) => ({
          label: area.label,
          href: settingsPath(tenant, area.page),
          current: area.page === page,
        }))}
      />
      {children}
    </Page>
  )
}
