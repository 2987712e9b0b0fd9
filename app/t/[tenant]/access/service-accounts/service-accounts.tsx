'use client'

import { useState } from 'react'
import { AccessPage } from '#components/access/access-page.tsx'
import { ManageButton } from '#components/access/manage-button.tsx'
import { roleName } from '#components/access/permission-texts.ts'
import { usePages } from '#components/api/use-pages.ts'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { ActionButton } from '#components/navigation/action-button.tsx'
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

/** The accounts of programs that sign in as themselves. */
export function ServiceAccounts() {
  const [creating, setCreating] = useState(false)
  const create = (
    <ActionButton permission="service-account:manage" variant="primary" onClick={() => setCreating(true)}>
      Create a service account
    </ActionButton>
  )
  return (
    <AccessPage
      page="service-accounts"
      permission="service-account:manage"
      act="see service accounts"
      action={create}
      about="A service account lets a program sign in with its own roles. Anyone who creates the account or rotates its secret can’t approve its requests."
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
  return (
    <>
      <PagedTable
        pages={pages}
        caption="Service accounts"
        columns={columns(setManaged)}
        rowKey={(row) => row.id}
        failed={{ what: 'The service accounts', act: 'see service accounts', permission: 'service-account:manage' }}
        empty={
          <EmptyState title="No service accounts.">
            Create one for a pipeline or an external agent to sign in with.
          </EmptyState>
        }
      />
      {managed !== undefined && <ManageAccount account={managed} onClose={() => setManaged(undefined)} />}
    </>
  )
}

const columns = (manage: (row: ServiceAccount) => void): Column<ServiceAccount>[] => [
  {
    key: 'name',
    header: 'Account',
    rowHeader: true,
    cell: (row) => (
      <span className="flex flex-col">
        <ShownText>{row.name}</ShownText>
        <code className="font-mono text-dense text-ink-2">{row.clientId}</code>
      </span>
    ),
  },
  { key: 'status', header: 'State', cell: (row) => <AccountStatus status={row.status} /> },
  { key: 'roles', header: 'Roles', cell: (row) => row.roles.map(roleName).join(', ') },
  { key: 'secrets', header: 'Secrets', cell: (row) => <LiveSecrets secrets={row.secrets} /> },
  {
    key: 'used',
    header: 'Last used',
    cell: (row) => (row.lastUsedAt === null ? 'Never' : <Time at={row.lastUsedAt} show="relative" />),
  },
  { key: 'manage', header: 'Actions', cell: (row) => <ManageButton name={row.name} onClick={() => manage(row)} /> },
]
