'use client'

import type { ReactNode } from 'react'
import { AreaPage } from '#components/layout/area-page.tsx'
import { MissingPermission } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/access-keys/en.ts'
import { type AccessPage as AccessArea, accessPath } from '#lib/paths.ts'
import type { Permission } from '#lib/permissions.ts'

const AREAS: { page: AccessArea; label: string }[] = [
  { page: 'members', label: t.members },
  { page: 'groups', label: t.approverGroups },
  { page: 'service-accounts', label: t.serviceAccounts },
  { page: 'connection-tokens', label: t.connectionTokens },
  { page: 'api-keys', label: t.apiKeys },
  { page: 'secrets', label: t.secrets },
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
    <AreaPage label={t.access} areas={areas} {...page}>
      {can(permission) ? children : <MissingPermission act={act} permission={permission} />}
    </AreaPage>
  )
}
