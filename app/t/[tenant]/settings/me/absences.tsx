'use client'

import { useState } from 'react'
import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { ActionButton } from '#components/navigation/action-button.tsx'
import { MissingPermission } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/settings-me/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import type { Delegation } from '#lib/schemas/delegations.ts'
import { useTRPC } from '#lib/trpc.ts'
import { EndAbsence } from './end-absence.tsx'
import { PlanAbsence } from './plan-absence.tsx'

/** While the socket is down, in milliseconds. */
const refreshMs = 30_000

/** Lists the delegations from and to the signed-in person, with a form to add one. */
export function Absences() {
  const { can } = useSession()
  const [planning, setPlanning] = useState(false)
  return (
    <>
      {can('approval:decide') ? (
        <AbsenceList />
      ) : (
        <MissingPermission act={t.nameDelegate} permission="approval:decide" />
      )}
      <div>
        <ActionButton permission="approval:decide" onClick={() => setPlanning(true)}>
          {t.nameA}
        </ActionButton>
      </div>
      {planning && <PlanAbsence onClose={() => setPlanning(false)} />}
    </>
  )
}

function AbsenceList() {
  const trpc = useTRPC()
  const { me } = useSession()
  const [ending, setEnding] = useState<Delegation>()
  const pages = usePages(trpc.delegations.list, { mine: true })
  useChanges(['delegations'], refreshMs)
  return (
    <>
      <PagedTable
        pages={pages}
        caption={t.absences}
        columns={columns(me.principal.id, setEnding)}
        rowKey={(row) => row.id}
        failed={{ what: t.theAbsences, act: t.seeAbsences, permission: 'approval:decide' }}
        empty={<EmptyState title={t.noAbsences}>{t.nameAnotherApproverAs}</EmptyState>}
      />
      {ending !== undefined && <EndAbsence delegation={ending} onClose={() => setEnding(undefined)} />}
    </>
  )
}

const STATES: Record<Delegation['status'], { status: Status; label: string }> = {
  planned: { status: 'pending', label: t.planned },
  active: { status: 'running', label: t.now },
  over: { status: 'expired', label: t.past },
  ended: { status: 'revoked', label: t.endedEarly },
}

const columns = (me: string, end: (row: Delegation) => void): Column<Delegation>[] => [
  {
    key: 'who',
    header: t.delegate,
    rowHeader: true,
    cell: ({ delegator, delegate }) => (
      <ShownText>
        {delegator.id === me
          ? t.inYourPlace({ delegate: delegate.displayName })
          : t.youInPlaceOf({ delegator: delegator.displayName })}
      </ShownText>
    ),
  },
  { key: 'status', header: t.state, cell: (row) => <StatusShape {...STATES[row.status]} /> },
  { key: 'from', header: t.from, cell: (row) => <Time at={row.from} show="absolute" /> },
  { key: 'until', header: t.until, cell: (row) => <Time at={row.until} show="absolute" /> },
  { key: 'reason', header: t.reason, cell: (row) => <ShownText>{row.reason}</ShownText> },
  {
    key: 'end',
    header: t.actions,
    cell: (row) =>
      row.status === 'planned' || row.status === 'active' ? (
        <Button onClick={() => end(row)} aria-haspopup="dialog">
          {t.endAbsenceOf({
            delegator: row.delegator.displayName,
            hidden: (content) => <VisuallyHidden>{content}</VisuallyHidden>,
          })}
        </Button>
      ) : undefined,
  },
]
