'use client'

import { useState } from 'react'
import { usePages } from '#components/api/use-pages.ts'
import { PagedTable } from '#components/lists/paged-table.tsx'
import * as t from '#components/texts/settings-me/en.ts'
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
        caption={t.passkeys}
        columns={columns(setRemoving)}
        rowKey={(row) => row.id}
        failed={{ what: t.yourPasskeys }}
        empty={<EmptyState title={t.noPasskeys}>{t.addPasskeyToApprove}</EmptyState>}
      />
      <div>
        <Button onClick={() => setAdding(true)} aria-haspopup="dialog">
          {t.addPasskey}
        </Button>
      </div>
      {adding && <AddPasskey onClose={() => setAdding(false)} />}
      {removing !== undefined && <RemovePasskey passkey={removing} onClose={() => setRemoving(undefined)} />}
    </>
  )
}

const columns = (remove: (row: Passkey) => void): Column<Passkey>[] => [
  { key: 'name', header: t.name, rowHeader: true, cell: (row) => <ShownText>{row.name}</ShownText> },
  {
    key: 'kept',
    header: t.stored,
    cell: (row) => (row.synced ? t.syncedBetweenYourDevices : t.onOneDevice),
  },
  { key: 'created', header: t.added, cell: (row) => <Time at={row.createdAt} /> },
  {
    key: 'used',
    header: t.lastUsed,
    cell: (row) => (row.lastUsedAt === null ? t.never : <Time at={row.lastUsedAt} />),
  },
  {
    key: 'remove',
    header: t.actions,
    cell: (row) => (
      <Button onClick={() => remove(row)} aria-haspopup="dialog">
        {t.removePasskey({ passkey: row.name, hidden: (content) => <VisuallyHidden>{content}</VisuallyHidden> })}
      </Button>
    ),
  },
]
