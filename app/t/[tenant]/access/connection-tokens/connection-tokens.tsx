'use client'

import { useState } from 'react'
import { AccessPage } from '#components/access/access-page.tsx'
import { ManageButton } from '#components/access/manage-button.tsx'
import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { ActionButton } from '#components/navigation/action-button.tsx'
import * as t from '#components/texts/access-machines/en.ts'
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

/** While the socket is down, in milliseconds. */
const refreshMs = 30_000

/** The credentials of programs that can only send a fixed header. */
export function ConnectionTokens() {
  const [creating, setCreating] = useState(false)
  const create = (
    <ActionButton permission="service-account:manage" variant="primary" onClick={() => setCreating(true)}>
      {t.createConnectionToken}
    </ActionButton>
  )
  return (
    <AccessPage
      page="connection-tokens"
      permission="service-account:manage"
      act={t.seeConnectionTokens}
      action={create}
      about={t.connectionTokenLetsProgram}
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
  useChanges(['connectionTokens'], refreshMs)
  return (
    <>
      <PagedTable
        pages={pages}
        caption={t.connectionTokens}
        columns={columns(setManaged)}
        rowKey={(row) => row.id}
        failed={{ what: t.theConnectionTokens, act: t.seeConnectionTokens, permission: 'service-account:manage' }}
        empty={<EmptyState title={t.noConnectionTokens}>{t.createOneForOpentelemetry}</EmptyState>}
      />
      {managed !== undefined && <ManageToken token={managed} onClose={() => setManaged(undefined)} />}
    </>
  )
}

const columns = (manage: (row: ConnectionToken) => void): Column<ConnectionToken>[] => [
  { key: 'name', header: t.token, rowHeader: true, cell: (row) => <ShownText>{row.name}</ShownText> },
  { key: 'status', header: t.state, cell: (row) => <TokenStatus status={row.status} /> },
  { key: 'use', header: t.connectionFor, cell: (row) => <Reach use={row.use} agents={row.agents} /> },
  {
    key: 'account',
    header: t.serviceAccount,
    cell: (row) => <ShownText>{row.serviceAccount.displayName}</ShownText>,
  },
  {
    key: 'used',
    header: t.lastUsed,
    cell: (row) => (row.lastUsedAt === null ? t.never : <Time at={row.lastUsedAt} show="relative" />),
  },
  { key: 'expires', header: t.expires, cell: (row) => <Time at={row.expiresAt} show="relative" /> },
  { key: 'manage', header: t.actions, cell: (row) => <ManageButton name={row.name} onClick={() => manage(row)} /> },
]
