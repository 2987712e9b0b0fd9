'use client'

import { useState } from 'react'
import { usePages } from '#components/api/use-pages.ts'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { ActionButton } from '#components/navigation/action-button.tsx'
import { MissingPermission } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
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

/** Lists the delegations from and to the signed-in person, with a form to add one. */
export function Absences() {
  const { can } = useSession()
  const [planning, setPlanning] = useState(false)
  return (
    <>
      {can('approval:decide') ? (
        <AbsenceList />
      ) : (
        <MissingPermission act="name a delegate" permission="approval:decide" />
      )}
      <div>
        <ActionButton permission="approval:decide" onClick={() => setPlanning(true)}>
          Name a delegate
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
  return (
    <>
      <PagedTable
        pages={pages}
        caption="Absences"
        columns={columns(me.principal.id, setEnding)}
        rowKey={(row) => row.id}
        failed={{ what: 'The absences', act: 'see absences', permission: 'approval:decide' }}
        empty={
          <EmptyState title="No absences.">
            Name another approver as your delegate to decide requests during your absence. Each such decision is
            recorded as made in your place.
          </EmptyState>
        }
      />
      {ending !== undefined && <EndAbsence delegation={ending} onClose={() => setEnding(undefined)} />}
    </>
  )
}

const STATES: Record<Delegation['status'], { status: Status; label: string }> = {
  planned: { status: 'pending', label: 'Planned' },
  active: { status: 'running', label: 'Now' },
  over: { status: 'expired', label: 'Past' },
  ended: { status: 'revoked', label: 'Ended early' },
}

const columns = (me: string, end: (row: Delegation) => void): Column<Delegation>[] => [
  {
    key: 'who',
    header: 'Delegate',
    rowHeader: true,
    cell: ({ delegator, delegate }) => (
      <ShownText>
        {delegator.id === me ? `${delegate.displayName} in your place` : `You, in place of ${delegator.displayName}`}
      </ShownText>
    ),
  },
  { key: 'status', header: 'State', cell: (row) => <StatusShape {...STATES[row.status]} /> },
  { key: 'from', header: 'From', cell: (row) => <Time at={row.from} show="absolute" /> },
  { key: 'until', header: 'Until', cell: (row) => <Time at={row.until} show="absolute" /> },
  { key: 'reason', header: 'Reason', cell: (row) => <ShownText>{row.reason}</ShownText> },
  {
    key: 'end',
    header: 'Actions',
    cell: (row) =>
      row.status === 'planned' || row.status === 'active' ? (
        <Button onClick={() => end(row)} aria-haspopup="dialog">
          End
          <VisuallyHidden> the absence of {row.delegator.displayName}</VisuallyHidden>
        </Button>
      ) : undefined,
  },
]
