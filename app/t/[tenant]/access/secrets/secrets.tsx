'use client'

import { useState } from 'react'
import { AccessPage } from '#components/access/access-page.tsx'
import { ArchiveFilter, useArchived } from '#components/access/archive-filter.tsx'
import { ManageButton } from '#components/access/manage-button.tsx'
import { SecretStatusShape } from '#components/access/secret-status.tsx'
import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { ActionButton } from '#components/navigation/action-button.tsx'
import * as t from '#components/texts/access-keys/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { Secret } from '#lib/schemas/secrets.ts'
import { useTRPC } from '#lib/trpc.ts'
import { CreateSecret } from './create-secret.tsx'
import { Destinations } from './destinations.tsx'
import { ManageSecret } from './manage-secret.tsx'

/** While the socket is down, in milliseconds. */
const refreshMs = 30_000

/** The named values that are stored encrypted. */
export function Secrets() {
  const [creating, setCreating] = useState(false)
  const create = (
    <ActionButton permission="secret:create" variant="primary" onClick={() => setCreating(true)}>
      {t.createSecret}
    </ActionButton>
  )
  return (
    <AccessPage page="secrets" permission="secret:read" act={t.seeSecrets} action={create} about={t.secretIsNamedValue}>
      <SecretList />
      {creating && <CreateSecret onClose={() => setCreating(false)} />}
    </AccessPage>
  )
}

function SecretList() {
  const trpc = useTRPC()
  const includeArchived = useArchived()
  const [managed, setManaged] = useState<Secret>()
  const pages = usePages(trpc.secrets.list, { kind: 'value', includeArchived })
  useChanges(['secrets'], refreshMs)
  return (
    <>
      <PagedTable
        pages={pages}
        caption={t.secrets}
        columns={columns(setManaged)}
        rowKey={(row) => row.secretId}
        failed={{ what: t.theSecrets, act: t.seeSecrets, permission: 'secret:read' }}
        empty={<EmptyState title={t.noSecrets}>{t.createSecretSoThat}</EmptyState>}
      />
      <ArchiveFilter page="secrets" />
      {managed !== undefined && <ManageSecret record={managed} onClose={() => setManaged(undefined)} />}
    </>
  )
}

const columns = (manage: (row: Secret) => void): Column<Secret>[] => [
  { key: 'name', header: t.name, rowHeader: true, cell: (row) => <ShownText>{row.name}</ShownText> },
  { key: 'status', header: t.state, cell: (row) => <SecretStatusShape status={row.status} /> },
  { key: 'destinations', header: t.destinations, cell: (row) => <Destinations of={row} /> },
  { key: 'age', header: t.created, cell: (row) => <Time at={row.createdAt} show="relative" /> },
  {
    key: 'expires',
    header: t.expires,
    cell: (row) => (row.expiresAt === null ? t.never : <Time at={row.expiresAt} show="relative" />),
  },
  { key: 'by', header: t.createdBy, cell: (row) => <ShownText>{row.createdBy.displayName}</ShownText> },
  { key: 'manage', header: t.actions, cell: (row) => <ManageButton name={row.name} onClick={() => manage(row)} /> },
]
