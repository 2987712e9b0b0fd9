'use client'

import type { ReactNode } from 'react'
import { AreaPage } from '#components/layout/area-page.tsx'
import { MissingPermission } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { type AccessPage as AccessArea, accessPath } from '#lib/paths.ts'
import type { Permission } from '#lib/permissions.ts'

const AREAS: { page: AccessArea; label: string }[] = [
  { page: 'members', label: 'Members' },
  { page: 'groups', label: 'Approver groups' },
  { page: 'service-accounts', label: 'Service accounts' },
  { page: 'connection-tokens', label: 'Connection tokens' },
  { page: 'api-keys', label: 'API keys' },
  { page: 'secrets', label: 'Secrets' },
]

type AccessPageProps = {
  page: AccessArea
  /** The permission to see the list. */
  permission: Permission
  /** The action that requires it: "see the members". */
  act: string
  action: ReactNode
  about: string
  children: ReactNode
}

/** One of the lists of people and software that can act in the tenant. */
export function AccessPage({ permission, act, children, ...page }: AccessPageProps) {
  const { tenant, can } = useSession()
  const areas = AREAS.map((area) => ({ ...area, href: accessPath(tenant, area.page) }))
  return (
    <AreaPage label="Access" areas={areas} {...page}>
      {can(permission) ? children : <MissingPermission act={act} permission={permission} />}
    </AreaPage>
  )
}
