'use client'

import Link from 'next/link'
import { useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { ReasonDialog } from '#components/forms/reason-dialog.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { ActionButton } from '#components/navigation/action-button.tsx'
import { PrivacyPage } from '#components/privacy/privacy-page.tsx'
import { MissingPermission } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
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
      about="Content under a legal hold is neither erased nor deleted by age until the hold is released. A hold takes precedence over a running erasure, too."
      action={
        <ActionButton permission="hold:manage" variant="primary" onClick={() => setPlacing(true)}>
          Place a hold
        </ActionButton>
      }
    >
      {can('hold:manage') ? <HoldList /> : <MissingPermission act="see legal holds" permission="hold:manage" />}
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
      caption="Legal holds"
      columns={columns(tenant)}
      rowKey={(row) => row.id}
      failed={{ what: 'The legal holds', act: 'see legal holds', permission: 'hold:manage' }}
      empty={
        <EmptyState title="No legal holds.">
          Place a hold on a trace or on a period when its content may be needed in a dispute or an investigation.
        </EmptyState>
      }
    />
  )
}

const columns = (tenant: string): Column<Hold>[] => [
  { key: 'covers', header: 'Covers', rowHeader: true, cell: (row) => <Covered tenant={tenant} hold={row} /> },
  {
    key: 'state',
    header: 'State',
    cell: (row) =>
      row.releasedAt === null ? (
        <StatusShape status="waiting" label="In force" />
      ) : (
        <StatusShape status="revoked" label="Released" />
      ),
  },
  {
    key: 'reason',
    header: 'Reason',
    cell: (row) => (
      <span className="wrap-anywhere flex flex-col">
        <ShownText>{row.reason}</ShownText>
        {row.releaseReason !== null && (
          <span className="text-dense text-ink-2">
            Released: <ShownText>{row.releaseReason}</ShownText>
          </span>
        )}
      </span>
    ),
  },
  { key: 'by', header: 'Placed by', cell: (row) => <ShownText>{row.createdBy.displayName}</ShownText> },
  { key: 'at', header: 'Placed', cell: (row) => <Time at={row.createdAt} show="absolute" /> },
  {
    key: 'released',
    header: 'Released',
    cell: (row) => (row.releasedAt === null ? undefined : <Time at={row.releasedAt} show="absolute" />),
  },
  { key: 'actions', header: 'Actions', cell: (row) => <Release hold={row} /> },
]

function Covered({ tenant, hold: { traceId, from, to } }: { tenant: string; hold: Hold }) {
  if (traceId === null)
    return <span className="whitespace-nowrap">{from === to ? from : `${from} to ${to}`} (UTC), all content</span>
  return (
    <Link href={tracePath(tenant, traceId)} prefetch={false} className="text-link">
      Trace <code className="font-mono text-dense">{traceId.slice(0, 8)}…</code>
    </Link>
  )
}

function Release({ hold }: { hold: Hold }) {
  const { client } = useApi()
  const name = hold.traceId === null ? `${hold.from} to ${hold.to}` : `trace ${hold.traceId.slice(0, 8)}`
  return (
    <ReasonDialog
      label="Release"
      busyLabel="Releasing the hold…"
      keepLabel="Keep the hold"
      title={`Release the hold on ${name}?`}
      consequence="Its content can be erased again, and is deleted when it is older than the retention period. A released hold can’t be restored. Erasures that have ended do not start again: request them again if content that they left must be erased."
      permission="hold:manage"
      over={hold.releasedAt !== null}
      suffix={<VisuallyHidden> the hold on {name}</VisuallyHidden>}
      act={(reason, options) =>
        client.holds.release.mutate({ id: hold.id, expectedRevision: hold.revision, reason }, options)
      }
      touches={['holds', 'audit']}
      done="The hold is released."
      notDone="The hold was not released."
    />
  )
}
