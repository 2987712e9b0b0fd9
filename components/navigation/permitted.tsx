'use client'

import type { ReactNode } from 'react'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { MissingPermission } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import type { Permission } from '#lib/permissions.ts'

type PermittedProps = {
  permission: Permission
  /** The action that requires the permission: "see executions". */
  act: string
  /** Title of the page while its content can't be shown. */
  title: string
  children: ReactNode
}

/** Shows the page only to people with the permission, so that others don't send requests that would be refused. */
export function Permitted({ permission, act, title, children }: PermittedProps) {
  const { can } = useSession()
  if (can(permission)) return children
  return (
    <Page>
      <PageHeader title={title} />
      <MissingPermission act={act} permission={permission} />
    </Page>
  )
}
