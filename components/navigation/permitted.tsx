'use client'

import type { ReactNode } from 'react'
import { Page, PageHeader } from '#components/layout/page.tsx'
import { MissingPermission } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import type { Permission } from '#lib/permissions.ts'

type PermittedProps = {
  permission: Permission
  /** What the page is for: "see executions". */
  act: string
  /** Of the page, while it can't be shown. */
  title: string
  children: ReactNode
}

/** The page for who may see it; nobody else causes a request that would be refused. */
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
