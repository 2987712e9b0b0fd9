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
import * as t from '#components/texts/privacy/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
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
      about={t.erasureRemovesEveryValue}
      action={
        <ActionButton permission="subject:erase" variant="primary" onClick={() => setAsking(true)}>
          {t.erasePersonsData}
        </ActionButton>
      }
    >
      {can('subject:erase') ? <ErasureList /> : <MissingPermission act={t.seeErasures} permission="subject:erase" />}
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
      caption={t.erasures}
      columns={columns}
      rowKey={(row) => row.id}
      failed={{ what: t.theErasures, act: t.seeErasures, permission: 'subject:erase' }}
      empty={<EmptyState title={t.noErasures}>{t.requestOneWhenPerson}</EmptyState>}
    />
  )
}

const columns: Column<Erasure>[] = [
  {
    key: 'reason',
    header: t.reason,
    rowHeader: true,
    cell: (row) => (
      <span className="wrap-anywhere flex flex-col">
        <ShownText>{row.reason}</ShownText>
        <span className="flex flex-wrap items-center gap-x-1.5 font-normal text-dense text-ink-2">
          {t.subjectShortdigest({ shortDigest: () => <ShortDigest digest={row.subjectDigest} of={t.subjectKeyed} /> })}
        </span>
      </span>
    ),
  },
  { key: 'state', header: t.state, cell: (row) => <ErasureState erasure={row} /> },
  {
    key: 'erased',
    header: t.erased,
    cell: (row) => (
      <span className="flex flex-col">
        <span>{t.values({ values: row.values })}</span>
        <span className="text-dense text-ink-2">
          {t.inSpansAndOther({ spans: row.spans, otherRecords: row.records })}
        </span>
      </span>
    ),
  },
  { key: 'archives', header: t.archives, cell: (row) => <ErasureArchives erasure={row} /> },
  { key: 'by', header: t.requestedBy, cell: (row) => <ShownText>{row.requestedBy.displayName}</ShownText> },
  { key: 'at', header: t.requested, cell: (row) => <Time at={row.createdAt} show="absolute" /> },
  {
    key: 'completed',
    header: t.ended,
    cell: (row) => (row.completedAt === null ? undefined : <Time at={row.completedAt} show="absolute" />),
  },
]
