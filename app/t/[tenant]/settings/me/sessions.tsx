'use client'

import { useState } from 'react'
import { useQuery } from '#components/api/query.ts'
import { RequestFailed } from '#components/session/request-failed.tsx'
import * as t from '#components/texts/settings-me/en.ts'
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
import { programName, programsIn } from './own-programs.ts'

/** Lists where the signed-in person is signed in, and ends the other sessions. */
export function Sessions() {
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(trpc.sessions.list.queryOptions())
  const [ending, setEnding] = useState<OwnSession | 'others'>()
  if (data === undefined)
    return error === null ? (
      <Skeleton label={t.loadingYourSessions} rows={2} />
    ) : (
      <RequestFailed error={error} what={t.yourSessions} plural retry={() => void refetch()} />
    )
  const { sessions } = data
  if (sessions.length === 0) return <EmptyState title={t.noSessions}>{t.organisationOrIdentityProvider}</EmptyState>
  return (
    <>
      <DataTable caption={t.yourSessions} columns={columns(setEnding)} rows={sessions} rowKey={(row) => row.id} />
      {sessions.some(({ current }) => !current) && (
        <div>
          <Button onClick={() => setEnding('others')} aria-haspopup="dialog">
            {t.signOutEverywhereElse}
          </Button>
        </div>
      )}
      {ending !== undefined && (
        <EndSessions
          session={ending}
          others={sessions.filter(({ current }) => !current)}
          onClose={() => setEnding(undefined)}
        />
      )}
    </>
  )
}

const APPLICATIONS: Record<string, string> = {
  'countersign-console': t.console,
  'countersign-cli': t.commandLine,
}

const applicationsOf = (session: OwnSession): string[] =>
  session.applications.map((client) => {
    const program = programsIn(session).find(({ clientId }) => clientId === client)
    return program === undefined ? (APPLICATIONS[client] ?? client) : programName(program)
  })

const columns = (end: (row: OwnSession) => void): Column<OwnSession>[] => [
  {
    key: 'device',
    header: t.device,
    rowHeader: true,
    cell: ({ device, current }) => (
      <>
        <ShownText>{device ?? t.unknownDevice}</ShownText>
        {current && <span className="block text-dense text-ink-2">{t.thisBrowser}</span>}
      </>
    ),
  },
  {
    key: 'applications',
    header: t.usedFor,
    cell: (session) => <ShownText>{applicationsOf(session).join(', ') || t.nothingYet}</ShownText>,
  },
  { key: 'address', header: t.lastAddress, cell: ({ address }) => <ShownText>{address ?? t.unknown}</ShownText> },
  { key: 'since', header: t.signedIn, cell: ({ signedInAt }) => <Time at={signedInAt} /> },
  {
    key: 'used',
    header: t.lastUsed,
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? t.unknown : <Time at={lastUsedAt} />),
  },
  {
    key: 'end',
    header: t.actions,
    cell: (row) =>
      row.current ? undefined : (
        <Button onClick={() => end(row)} aria-haspopup="dialog">
          {t.signOutHidden({ hidden: () => <VisuallyHidden> {row.device ?? t.theUnknownDevice}</VisuallyHidden> })}
        </Button>
      ),
  },
]
