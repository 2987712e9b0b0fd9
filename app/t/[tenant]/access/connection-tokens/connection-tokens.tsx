'use client'

import { useState } from 'react'
import { AccessPage } from '#components/access/access-page.tsx'
import { ManageButton } from '#components/access/manage-button.tsx'
import { usePages } from '#components/api/use-pages.ts'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { ActionButton } from '#components/navigation/action-button.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { ConnectionToken } from '#lib/schemas/connection-tokens.ts'
import { useTRPC } from '#lib/trpc.ts'
import { CreateToken } from './create-token.tsx'
import { ManageToken } from './manage-token.tsx'
import { Reach } from './reach.tsx'
import { TokenStatus } from './token-status.tsx'

/** The credentials of programs that can only send a fixed header. */
export function ConnectionTokens() {
  const [creating, setCreating] = useState(false)
  const create = (
    <ActionButton permission="service-account:manage" variant="primary" onClick={() => setCreating(true)}>
      Create a connection token
    </ActionButton>
  )
  return (
    <AccessPage
      page="connection-tokens"
      permission="service-account:manage"
      act="see connection tokens"
      action={create}
      about="A connection token lets a program that can only send a fixed header act for a service account: an OpenTelemetry exporter, the MCP client of an editor, or an identity provider that manages members (SCIM). It works for that one purpose only. Anyone who creates a token can’t approve requests of its account."
    >
      <TokenList />
      {creating && <CreateToken onClose={() => setCreating(false)} />}
    </AccessPage>
  )
}

function TokenList() {
  const trpc = useTRPC()
  const [managed, setManaged] = useState<ConnectionToken>()
  const pages = usePages(trpc.connectionTokens.list, {})
  return (
    <>
      <PagedTable
        pages={pages}
        caption="Connection tokens"
        columns={columns(setManaged)}
        rowKey={(row) => row.id}
        failed={{ what: 'The connection tokens', act: 'see connection tokens', permission: 'service-account:manage' }}
        empty={
          <EmptyState title="No connection tokens.">
            Create one for an OpenTelemetry exporter, the MCP client of an editor, or an identity provider that manages
            members (SCIM). Programs that can sign in use a service account’s secret instead.
          </EmptyState>
        }
      />
      {managed !== undefined && <ManageToken token={managed} onClose={() => setManaged(undefined)} />}
    </>
  )
}

const columns = (manage: (row: ConnectionToken) => void): Column<ConnectionToken>[] => [
  { key: 'name', header: 'Token', rowHeader: true, cell: (row) => <ShownText>{row.name}</ShownText> },
  { key: 'status', header: 'State', cell: (row) => <TokenStatus status={row.status} /> },
  { key: 'use', header: 'For', cell: (row) => <Reach use={row.use} agents={row.agents} /> },
  {
    key: 'account',
    header: 'Service account',
    cell: (row) => <ShownText>{row.serviceAccount.displayName}</ShownText>,
  },
  {
    key: 'used',
    header: 'Last used',
    cell: (row) => (row.lastUsedAt === null ? 'Never' : <Time at={row.lastUsedAt} show="relative" />),
  },
  { key: 'expires', header: 'Expires', cell: (row) => <Time at={row.expiresAt} show="relative" /> },
  { key: 'manage', header: 'Actions', cell: (row) => <ManageButton name={row.name} onClick={() => manage(row)} /> },
]
