'use client'

import { Button } from '#components/ui/controls/button.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { Approval, ArgumentView } from '#lib/schemas/approvals.ts'
import { DECIDED } from '../words.tsx'
import type { View } from './decision-view.ts'
import { Note } from './note.tsx'

type ChangesProps = { view: Extract<View, { is: 'conflict' | 'drifted' }>; shown: Approval; onReview: () => void }

/** How the request changed while the person was deciding. Their draft stays until they review the change. */
export function Changes({ view: { is, latest, stillOpen }, shown, onReview }: ChangesProps) {
  if (latest === undefined)
    return (
      <Note tone="warn" title="The request has changed.">
        Your decision was not recorded. Loading the change…
      </Note>
    )
  return (
    <Note
      tone="warn"
      title={is === 'drifted' ? 'The payload has changed.' : titleOf(latest, stillOpen)}
      action={<Button onClick={onReview}>{stillOpen ? 'Review the current request' : 'Show the record'}</Button>}
    >
      Your decision was not recorded. What you typed is still here.
      {is === 'drifted' && <Difference before={shown} after={latest} />}
      {is === 'conflict' && <NewVotes before={shown} after={latest} />}
    </Note>
  )
}

/** What happened to the request in the meantime. */
function titleOf({ status, changes }: Approval, stillOpen: boolean): string {
  if (stillOpen) return 'The request has changed.'
  if (status === 'expired') return 'This request has expired.'
  if (status !== 'canceled') return 'Someone else decided first.'
  return changes === null ? 'This request was withdrawn.' : 'A reviewer requested changes.'
}

function NewVotes({ before, after }: { before: Approval; after: Approval }) {
  const known = new Set(before.votes.map((vote) => vote.auditId))
  return after.votes
    .filter((vote) => !known.has(vote.auditId))
    .map((vote) => (
      <span key={vote.auditId} className="mt-2 block">
        <strong>
          <ShownText>{vote.by.displayName}</ShownText>
        </strong>
        : {DECIDED[vote.decision].toLowerCase()}, <Time at={vote.at} />. Reason: <ShownText>{vote.reason}</ShownText>
      </span>
    ))
}

function Difference({ before, after }: { before: Approval; after: Approval }) {
  const old = new Map(before.presentation.arguments.map((row) => [row.path, textOf(row)]))
  const now = new Map(after.presentation.arguments.map((row) => [row.path, textOf(row)]))
  const changed = [...new Set([...old.keys(), ...now.keys()])].filter((path) => old.get(path) !== now.get(path))
  if (changed.length === 0) return <span className="mt-2 block">A value that is masked for you has changed.</span>
  return changed.map((path) => (
    <span key={path} className="wrap-anywhere mt-2 block">
      <ShownText>{path}</ShownText>: <del>{<ShownText>{old.get(path) ?? 'missing'}</ShownText>}</del>{' '}
      <ins>{<ShownText>{now.get(path) ?? 'missing'}</ShownText>}</ins>
    </span>
  ))
}

const textOf = ({ value, masked }: ArgumentView): string =>
  masked === undefined ? JSON.stringify(value) : `masked, ${masked.class}, ${masked.length} characters`
