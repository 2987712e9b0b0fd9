'use client'

import { useState } from 'react'
import { useQuery } from '#components/api/query.ts'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { Button } from '#components/ui/controls/button.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import type { OwnSession } from '#lib/schemas/sessions.ts'
import { useTRPC } from '#lib/trpc.ts'
import { EndSessions } from './end-sessions.tsx'

/** Lists where the signed-in person is signed in, and ends the other sessions. */
export function Sessions() {
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(trpc.sessions.list.queryOptions())
  const [ending, setEnding] = useState<OwnSession | 'others'>()
  if (data === undefined)
    return error === null ? (
      <Skeleton label="Loading your sessions…" rows={2} />
    ) : (
      <RequestFailed error={error} what="Your sessions" plural retry={() => void refetch()} />
    )
  const { sessions } = data
  if (sessions.length === 0)
    return (
      <EmptyState title="No sessions.">
        The organisation or identity provider where you signed in manages your sessions.
      </EmptyState>
    )
  return (
    <>
      <DataTable caption="Your sessions" columns={columns(setEnding)} rows={sessions} rowKey={(row) => row.id} />
      {sessions.some(({ current }) => !current) && (
        <div>
          <Button onClick={() => setEnding('others')} aria-haspopup="dialog">
            Sign out everywhere else
          </Button>
        </div>
      )}
      {ending !== undefined && <EndSessions session={ending} onClose={() => setEnding(undefined)} />}
    </>
  )
}

const APPLICATIONS: Record<string, string> = {
  'countersign-console': 'console',
  'countersign-cli': 'command line',
}

const columns = (end: (row: OwnSession) => void): Column<OwnSession>[] => [
  {
    key: 'device',
    header: 'Device',
    rowHeader: true,
    cell: ({ device, current }) => (
      <>
        <ShownText>{device ?? 'Unknown device'}</ShownText>
        {current && <span className="block text-dense text-ink-2">This browser</span>}
      </>
    ),
  },
  {
    key: 'applications',
    header: 'Used for',
    cell: ({ applications }) => (
      <ShownText>{applications.map((client) => APPLICATIONS[client] ?? client).join(', ') || 'Nothing yet'}</ShownText>
    ),
  },
  { key: 'address', header: 'Last address', cell: ({ address }) => <ShownText>{address ?? 'Unknown'}</ShownText> },
  { key: 'since', header: 'Signed in', cell: ({ signedInAt }) => <Time at={signedInAt} /> },
  {
    key: 'used',
    header: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Unknown' : <Time at={lastUsedAt} />),
  },
  {
    key: 'end',
    header: 'Actions',
    cell: (row) =>
      row.current ? undefined : (
        <Button onClick={() => end(row)} aria-haspopup="dialog">
          Sign out
          <VisuallyHidden> {row.device ?? 'the unknown device'}</VisuallyHidden>
        </Button>
      ),
  },
]
