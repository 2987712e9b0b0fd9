'use client'

import type { ReactNode } from 'react'
import { AreaPage } from '#components/layout/area-page.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/privacy/en.ts'
import { type PrivacyPage as PrivacyArea, privacyPath } from '#lib/paths.ts'

const AREAS: { page: PrivacyArea; label: string }[] = [
  { page: 'holds', label: t.legalHolds },
  { page: 'retention', label: t.retention },
  { page: 'erasures', label: t.erasures },
]

type PrivacyPageProps = { page: PrivacyArea; about: string; action?: ReactNode; children: ReactNode }

/** What keeps content, what deletes it by age, and what erases a person from it. */
export function PrivacyPage(props: PrivacyPageProps) {
  const { tenant } = useSession()
  const areas = AREAS.map((area) => ({ ...area, href: privacyPath(tenant, area.page) }))
  return <AreaPage label={t.privacy} areas={areas} {...props} />
}
