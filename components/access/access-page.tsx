'use client'

import Link from 'next/link'
import type { ReactNode } from 'react'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { MissingPermission } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { TabLinks } from '#components/ui/controls/tab-links.tsx'
import { type AccessPage as AccessArea, accessPath } from '#lib/paths.ts'
import type { Permission } from '#lib/permissions.ts'

const AREAS: { page: AccessArea; label: string }[] = [
  { page: 'members', label: 'Members' },
  { page: 'groups', label: 'Approver groups' },
  { page: 'service-accounts', label: 'Service accounts' },
  { page: 'api-keys', label: 'API keys' },
  { page: 'secrets', label: 'Secrets' },
]

type AccessPageProps = {
  page: AccessArea
  /** The permission to see the list. */
  permission: Permission
  /** The action that requires it: "see the members". */
  act: string
  /** The button that creates a record; shown even if blocked. */
  action: ReactNode
  /** One or two sentences that explain the records. */
  about: string
  children: ReactNode
}

/** One of the lists of people and software that can act in the tenant. */
export function AccessPage({ page, permission, act, action, about, children }: AccessPageProps) {
  const { tenant, can } = useSession()
  return (
    <Page wide>
      <PageHeader
        title={AREAS.find((area) => area.page === page)?.label}
        facts={<p className="max-w-[75ch] text-ink-2">{about}</p>}
        action={action}
      />
      <TabLinks
        label="Access"
        link={Link}
        tabs={AREAS.map((area) => ({
          label: area.label,
          href: accessPath(tenant, area.page),
          current: area.page === page,
        }))}
      />
      {can(permission) ? children : <MissingPermission act={act} permission={permission} />}
    </Page>
  )
}
