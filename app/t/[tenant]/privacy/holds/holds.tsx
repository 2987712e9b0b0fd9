'use client'

import Link from 'next/link'
import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { ReasonDialog } from '#components/forms/reason-dialog.tsx'
import { shownText } from '#components/language/shown-text.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { ActionButton } from '#components/navigation/action-button.tsx'
import { PrivacyPage } from '#components/privacy/privacy-page.tsx'
import { MissingPermission } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/privacy/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { tracePath } from '#lib/paths.ts'
import type { Answers } from '#lib/trpc.ts'
import { useTRPC } from '#lib/trpc.ts'
import { PlaceHold } from './place-hold.tsx'

type Hold = Answers['holds']['list']['items'][number]

const refreshMs = 30_000

/** The legal holds: which content must stay, why, and who decided that. */
export function Holds() {
  const { can } = useSession()
  const [placing, setPlacing] = useState(false)
  return (
    <PrivacyPage
      page="holds"
      about={t.contentUnderLegalHold}
      action={
        <ActionButton permission="hold:manage" variant="primary" onClick={() => setPlacing(true)}>
          {t.placeHold}
        </ActionButton>
      }
    >
      {can('hold:manage') ? <HoldList /> : <MissingPermission act={t.seeLegalHolds} permission="hold:manage" />}
      {placing && <PlaceHold onClose={() => setPlacing(false)} />}
    </PrivacyPage>
  )
}

function HoldList() {
  const trpc = useTRPC()
  const { tenant } = useSession()
  useChanges(['holds'], refreshMs)
  const pages = usePages(trpc.holds.list, {})
  return (
    <PagedTable
      pages={pages}
      caption={t.legalHolds}
      columns={columns(tenant)}
      rowKey={(row) => row.id}
      failed={{ what: t.theLegal, act: t.seeLegalHolds, permission: 'hold:manage' }}
      empty={<EmptyState title={t.noLegalHolds}>{t.placeHoldOnTrace}</EmptyState>}
    />
  )
}

const columns = (tenant: string): Column<Hold>[] => [
  { key: 'covers', header: t.covers, rowHeader: true, cell: (row) => <Covered tenant={tenant} hold={row} /> },
  {
    key: 'state',
    header: t.state,
    cell: (row) =>
      row.releasedAt === null ? (
        <StatusShape status="waiting" label={t.inForce} />
      ) : (
        <StatusShape status="revoked" label={t.released} />
      ),
  },
  {
    key: 'reason',
    header: t.reason,
    cell: (row) => (
      <span className="wrap-anywhere flex flex-col">
        <ShownText>{row.reason}</ShownText>
        {row.releaseReason !== null && (
          <span className="text-dense text-ink-2">
            {t.releasedBecause({ releaseReason: row.releaseReason, shown: shownText })}
          </span>
        )}
      </span>
    ),
  },
  { key: 'by', header: t.placedBy, cell: (row) => <ShownText>{row.createdBy.displayName}</ShownText> },
  { key: 'at', header: t.placed, cell: (row) => <Time at={row.createdAt} show="absolute" /> },
  {
    key: 'released',
    header: t.released,
    cell: (row) => (row.releasedAt === null ? undefined : <Time at={row.releasedAt} show="absolute" />),
  },
  { key: 'actions', header: t.actions, cell: (row) => <Release hold={row} /> },
]

function Covered({ tenant, hold: { traceId, from, to } }: { tenant: string; hold: Hold }) {
  if (traceId === null)
    return (
      <span className="whitespace-nowrap">
        {t.allOfPeriod({ from: from ?? '', to: to ?? '', oneDay: String(from === to) })}
      </span>
    )
  return (
    <Link href={tracePath(tenant, traceId)} prefetch={false} className="text-link">
      {t.trace({
        id: traceId.slice(0, 8),
        code: (content) => <code className="font-mono text-dense">{content}</code>,
      })}
    </Link>
  )
}

function Release({ hold }: { hold: Hold }) {
  const { client } = useApi()
  const name =
    hold.traceId === null
      ? t.fromTo({ from: hold.from ?? '', to: hold.to ?? '' })
      : t.traceNamed({ trace: hold.traceId.slice(0, 8) })
  return (
    <ReasonDialog
      label={t.release}
      busyLabel={t.releasingHold}
      keepLabel={t.keepHold}
      title={t.releaseHoldOn({ name })}
      consequence={t.itsContentCanBe}
      permission="hold:manage"
      over={hold.releasedAt !== null}
      suffix={<VisuallyHidden>{t.holdOn({ name })}</VisuallyHidden>}
      act={(reason, options) =>
        client.holds.release.mutate({ id: hold.id, expectedRevision: hold.revision, reason }, options)
      }
      touches={['holds', 'audit']}
      done={t.holdIsReleased}
      notDone={t.holdWasNotReleased}
    />
  )
}
