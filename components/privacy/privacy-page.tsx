'use client'

import type { ReactNode } from 'react'
import { AreaPage } from '#components/layout/area-page.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { type PrivacyPage as PrivacyArea, privacyPath } from '#lib/paths.ts'

const AREAS: { page: PrivacyArea; label: string }[] = [
  { page: 'holds', label: 'Legal holds' },
  { page: 'retention', label: 'Retention' },
  { page: 'erasures', label: 'Erasures' },
]

type PrivacyPageProps = { page: PrivacyArea; about: string; action?: ReactNode; children: ReactNode }

/** What keeps content, what deletes it by age, and what erases a person from it. */
export function PrivacyPage(props: PrivacyPageProps) {
  const { tenant } = useSession()
  const areas = AREAS.map((area) => ({ ...area, href: privacyPath(tenant, area.page) }))
  return <AreaPage label="Privacy" areas={areas} {...props} />
}
