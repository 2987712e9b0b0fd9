'use client'

import { useState } from 'react'
import { usePages } from '#components/api/use-pages.ts'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import type { Passkey } from '#lib/schemas/passkeys.ts'
import { useTRPC } from '#lib/trpc.ts'
import { AddPasskey } from './add-passkey.tsx'
import { RemovePasskey } from './remove-passkey.tsx'

/** Lists the passkeys that the person confirms approvals with, if the organisation requires it. */
export function Passkeys() {
  const trpc = useTRPC()
  const [adding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<Passkey>()
  const pages = usePages(trpc.passkeys.list, {})
  return (
    <>
      <PagedTable
        pages={pages}
        caption="Passkeys"
        columns={columns(setRemoving)}
        rowKey={(row) => row.id}
        failed={{ what: 'Your passkeys' }}
        empty={
          <EmptyState title="No passkeys.">
            Add a passkey to approve risky requests if your organisation requires it. Your device signs exactly the
            request that you read.
          </EmptyState>
        }
      />
      <div>
        <Button onClick={() => setAdding(true)} aria-haspopup="dialog">
          Add a passkey
        </Button>
      </div>
      {adding && <AddPasskey onClose={() => setAdding(false)} />}
      {removing !== undefined && <RemovePasskey passkey={removing} onClose={() => setRemoving(undefined)} />}
    </>
  )
}

const columns = (remove: (row: Passkey) => void): Column<Passkey>[] => [
  { key: 'name', header: 'Name', rowHeader: true, cell: (row) => <ShownText>{row.name}</ShownText> },
  {
    key: 'kept',
    header: 'Stored',
    cell: (row) => (row.synced ? 'Synced between your devices' : 'On one device'),
  },
  { key: 'created', header: 'Added', cell: (row) => <Time at={row.createdAt} /> },
  {
    key: 'used',
    header: 'Last used',
    cell: (row) => (row.lastUsedAt === null ? 'Never' : <Time at={row.lastUsedAt} />),
  },
  {
    key: 'remove',
    header: 'Actions',
    cell: (row) => (
      <Button onClick={() => remove(row)} aria-haspopup="dialog">
        Remove
        <VisuallyHidden> the passkey {row.name}</VisuallyHidden>
      </Button>
    ),
  },
]
