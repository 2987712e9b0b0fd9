'use client'

import { useState } from 'react'
import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { ShortDigest } from '#components/json/short-digest.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { ActionButton } from '#components/navigation/action-button.tsx'
import { PrivacyPage } from '#components/privacy/privacy-page.tsx'
import { MissingPermission } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { formatCount } from '#lib/format.ts'
import type { Answers } from '#lib/trpc.ts'
import { useTRPC } from '#lib/trpc.ts'
import { EraseSubject } from './erase-subject.tsx'
import { ErasureArchives } from './erasure-archives.tsx'
import { ErasureState } from './erasure-state.tsx'

type Erasure = Answers['erasures']['list']['items'][number]

const refreshMs = 10_000

/** The erasures: who asked, why, how far each has come, and what it left. */
export function Erasures() {
  const { can } = useSession()
  const [asking, setAsking] = useState(false)
  return (
    <PrivacyPage
      page="erasures"
      about="An erasure removes every value that contains a person’s data from executions, requests, traces, mails and files. Digests and proofs remain. Evidence archives are searched, too: each one with the data is listed, and deleted or marked as the organisation’s settings state."
      action={
        <ActionButton permission="subject:erase" variant="primary" onClick={() => setAsking(true)}>
          Erase a person’s data
        </ActionButton>
      }
    >
      {can('subject:erase') ? <ErasureList /> : <MissingPermission act="see erasures" permission="subject:erase" />}
      {asking && <EraseSubject onClose={() => setAsking(false)} />}
    </PrivacyPage>
  )
}

function ErasureList() {
  const trpc = useTRPC()
  useChanges(['erasures'], refreshMs)
  const pages = usePages(trpc.erasures.list, {})
  return (
    <PagedTable
      pages={pages}
      caption="Erasures"
      columns={columns}
      rowKey={(row) => row.id}
      failed={{ what: 'The erasures', act: 'see erasures', permission: 'subject:erase' }}
      empty={
        <EmptyState title="No erasures.">
          Request one when a person asks for their data to be erased. It runs in the background and is recorded.
        </EmptyState>
      }
    />
  )
}

const columns: Column<Erasure>[] = [
  {
    key: 'reason',
    header: 'Reason',
    rowHeader: true,
    cell: (row) => (
      <span className="wrap-anywhere flex flex-col">
        <ShownText>{row.reason}</ShownText>
        <span className="flex flex-wrap items-center gap-x-1.5 font-normal text-dense text-ink-2">
          Subject <ShortDigest digest={row.subjectDigest} of="the subject, keyed" />
        </span>
      </span>
    ),
  },
  { key: 'state', header: 'State', cell: (row) => <ErasureState erasure={row} /> },
  {
    key: 'erased',
    header: 'Erased',
    cell: (row) => (
      <span className="flex flex-col">
        <span>{formatCount(row.values, 'value')}</span>
        <span className="text-dense text-ink-2">
          in {formatCount(row.spans, 'span')} and {formatCount(row.records, 'other record')}
        </span>
      </span>
    ),
  },
  { key: 'archives', header: 'Archives', cell: (row) => <ErasureArchives erasure={row} /> },
  { key: 'by', header: 'Requested by', cell: (row) => <ShownText>{row.requestedBy.displayName}</ShownText> },
  { key: 'at', header: 'Requested', cell: (row) => <Time at={row.createdAt} show="absolute" /> },
  {
    key: 'completed',
    header: 'Ended',
    cell: (row) => (row.completedAt === null ? undefined : <Time at={row.completedAt} show="absolute" />),
  },
]
