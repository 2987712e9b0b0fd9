'use client'

import { maskedShape } from '#components/json/masked-shape.ts'
import { shownText } from '#components/language/shown-text.tsx'
import * as t from '#components/texts/approval-decision/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { Approval, ArgumentView } from '#lib/schemas/approvals.ts'
import type { View } from './decision-view.ts'
import { Note } from './note.tsx'

type ChangesProps = { view: Extract<View, { is: 'conflict' | 'drifted' }>; shown: Approval; onReview: () => void }

/** How the request changed while the person was deciding. Their draft stays until they review the change. */
export function Changes({ view: { is, latest, stillOpen }, shown, onReview }: ChangesProps) {
  if (latest === undefined)
    return (
      <Note tone="warn" title={t.requestHasChanged}>
        {t.yourDecisionWasNot}
      </Note>
    )
  return (
    <Note
      tone="warn"
      title={is === 'drifted' ? t.payloadHasChanged : titleOf(latest, stillOpen)}
      action={<Button onClick={onReview}>{stillOpen ? t.reviewCurrentRequest : t.showRecord}</Button>}
    >
      {t.keptText}
      {is === 'drifted' && <Difference before={shown} after={latest} />}
      {is === 'conflict' && <NewVotes before={shown} after={latest} />}
    </Note>
  )
}

/** What happened to the request in the meantime. */
function titleOf({ status, changes }: Approval, stillOpen: boolean): string {
  if (stillOpen) return t.requestHasChanged
  if (status !== 'canceled') return t.someoneElseDecidedFirst
  return changes === null ? t.thisRequestWasWithdrawn : t.reviewerRequestedChanges
}

function NewVotes({ before, after }: { before: Approval; after: Approval }) {
  const known = new Set(before.votes.map((vote) => vote.auditId))
  return after.votes
    .filter((vote) => !known.has(vote.auditId))
    .map((vote) => (
      <span key={vote.auditId} className="mt-2 block">
        {t.timeReason({
          by: vote.by.displayName,
          shown: shownText,
          strong: (content) => <strong>{content}</strong>,
          decision: vote.decision,
          at: () => <Time at={vote.at} />,
          reason: vote.reason,
        })}
      </span>
    ))
}

function Difference({ before, after }: { before: Approval; after: Approval }) {
  const old = new Map(before.presentation.arguments.map((row) => [row.path, textOf(row)]))
  const now = new Map(after.presentation.arguments.map((row) => [row.path, textOf(row)]))
  const changed = [...new Set([...old.keys(), ...now.keys()])].filter((path) => old.get(path) !== now.get(path))
  if (changed.length === 0) return <span className="mt-2 block">{t.valueThatIsMasked}</span>
  return changed.map((path) => (
    <span key={path} className="wrap-anywhere mt-2 block">
      <ShownText>{path}</ShownText>: <del>{<ShownText>{old.get(path) ?? t.missing}</ShownText>}</del>{' '}
      <ins>{<ShownText>{now.get(path) ?? t.missing}</ShownText>}</ins>
    </span>
  ))
}

const textOf = ({ value, masked }: ArgumentView): string =>
  masked === undefined ? JSON.stringify(value) : t.maskedValue({ shape: maskedShape(masked) })
