'use client'

import Link from 'next/link'
import type { ReactNode } from 'react'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { TabLinks } from '#components/ui/controls/tab-links.tsx'
import { type PrivacyPage as PrivacyArea, privacyPath } from '#lib/paths.ts'

const AREAS: { page: PrivacyArea; label: string }[] = [
  { page: 'holds', label: 'Legal holds' },
  { page: 'retention', label: 'Retention' },
  { page: 'erasures', label: 'Erasures' },
]

type PrivacyPageProps = {
  page: PrivacyArea
  /** One or two sentences that explain what is listed. */
  about: string
  /** The button that creates a record; shown even if blocked. */
  action?: ReactNode
  children: ReactNode
}

/** What keeps content, what deletes it by age, and what erases a person from it. */
export function PrivacyPage({ page, about, action, children }: PrivacyPageProps) {
  const { tenant } = useSession()
  return (
    <Page wide>
      <PageHeader
        title={AREAS.find((area) => area.page === page)?.label}
        facts={<p className="max-w-[75ch] text-ink-2">{about}</p>}
        action={action}
      />
      <TabLinks
        label="Privacy"
        link={Link}
        tabs={AREAS.map((area) => ({
          label: area.label,
          href: privacyPath(tenant, area.page),
          current: area.page === page,
        }))}
      />
      {children}
    </Page>
  )
}
