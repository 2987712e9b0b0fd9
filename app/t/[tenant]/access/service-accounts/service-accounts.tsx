'use client'

import { useState } from 'react'
import { AccessPage } from '#components/access/access-page.tsx'
import { ManageButton } from '#components/access/manage-button.tsx'
import { roleName } from '#components/access/permission-texts.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { ActionButton } from '#components/navigation/action-button.tsx'
import * as t from '#components/texts/access-machines/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { ServiceAccount } from '#lib/schemas/service-accounts.ts'
import { useTRPC } from '#lib/trpc.ts'
import { AccountStatus } from './account-status.tsx'
import { CreateAccount } from './create-account.tsx'
import { LiveSecrets } from './live-secrets.tsx'
import { ManageAccount } from './manage-account.tsx'

/** While the socket is down, in milliseconds. */
const refreshMs = 30_000

/** The accounts of programs that sign in as themselves. */
export function ServiceAccounts() {
  const [creating, setCreating] = useState(false)
  const create = (
    <ActionButton permission="service-account:manage" variant="primary" onClick={() => setCreating(true)}>
      {t.createServiceAccount}
    </ActionButton>
  )
  return (
    <AccessPage
      page="service-accounts"
      permission="service-account:manage"
      act={t.seeServiceAccounts}
      action={create}
      about={t.serviceAccountLetsProgram}
    >
      <AccountList />
      {creating && <CreateAccount onClose={() => setCreating(false)} />}
    </AccessPage>
  )
}

function AccountList() {
  const trpc = useTRPC()
  const [managed, setManaged] = useState<ServiceAccount>()
  const pages = usePages(trpc.serviceAccounts.list, {})
  useChanges(['serviceAccounts'], refreshMs)
  return (
    <>
      <PagedTable
        pages={pages}
        caption={t.serviceAccounts}
        columns={columns(setManaged)}
        rowKey={(row) => row.id}
        failed={{ what: t.theServiceAccounts, act: t.seeServiceAccounts, permission: 'service-account:manage' }}
        empty={<EmptyState title={t.noServiceAccounts}>{t.createOneForPipeline}</EmptyState>}
      />
      {managed !== undefined && <ManageAccount account={managed} onClose={() => setManaged(undefined)} />}
    </>
  )
}

const columns = (manage: (row: ServiceAccount) => void): Column<ServiceAccount>[] => [
  {
    key: 'name',
    header: t.account,
    rowHeader: true,
    cell: (row) => (
      <span className="flex flex-col">
        <ShownText>{row.name}</ShownText>
        <code className="font-mono text-dense text-ink-2">{row.clientId}</code>
      </span>
    ),
  },
  { key: 'status', header: t.state, cell: (row) => <AccountStatus status={row.status} /> },
  { key: 'roles', header: t.roles, cell: (row) => row.roles.map(roleName).join(', ') },
  { key: 'secrets', header: t.secrets, cell: (row) => <LiveSecrets secrets={row.secrets} /> },
  {
    key: 'used',
    header: t.lastUsed,
    cell: (row) => (row.lastUsedAt === null ? t.never : <Time at={row.lastUsedAt} show="relative" />),
  },
  { key: 'manage', header: t.actions, cell: (row) => <ManageButton name={row.name} onClick={() => manage(row)} /> },
]
