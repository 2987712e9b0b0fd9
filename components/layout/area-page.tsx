'use client'

import Link from 'next/link'
import type { ReactNode } from 'react'
import { TabLinks } from '#components/ui/controls/tab-links.tsx'
import { Page, PageHeader } from './page.tsx'

type Area<Name extends string> = { page: Name; label: string; href: string }

type AreaPageProps<Name extends string> = {
  /** The name of the area, for screen readers. */
  label: string
  /** The pages of the area, each a tab. */
  areas: Area<Name>[]
  page: Name
  /** One or two sentences that explain what is listed. */
  about: string
  /** The button that creates a record; shown even if blocked. */
  action?: ReactNode
  children: ReactNode
}

/** One page of an area of lists, with tabs to the other ones. */
export function AreaPage<Name extends string>({ label, areas, page, about, action, children }: AreaPageProps<Name>) {
  return (
    <Page wide>
      <PageHeader
        title={areas.find((area) => area.page === page)?.label}
        facts={<p className="max-w-[75ch] text-ink-2">{about}</p>}
        action={action}
      />
      <TabLinks
        label={label}
        link={Link}
        tabs={areas.map((area) => ({ label: area.label, href: area.href, current: area.page === page }))}
      />
      {children}
    </Page>
  )
}
