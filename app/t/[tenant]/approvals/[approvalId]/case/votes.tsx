'use client'

import { formatDuration } from '#components/language/formats.ts'
import { shownText } from '#components/language/shown-text.tsx'
import * as t from '#components/texts/approval-case/en.ts'
import { StatusShape } from '#components/ui/status/status-shape.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { Approval, Decision } from '#lib/schemas/approvals.ts'
import { DECIDED } from '../words.tsx'
import { isEscalated, tookMs } from './vote-times.ts'

type Vote = Approval['votes'][number]

const shapes = { approve: 'approved', reject: 'rejected', escalate: 'escalated' } as const satisfies Record<
  Decision,
  string
>

/** Who decided, when and why. */
export function Votes({ shown }: { shown: Approval }) {
  const { votes } = shown
  if (votes.length === 0) return null
  return <DataTable caption={t.votes} columns={columns(shown)} rows={votes} rowKey={(vote) => vote.auditId} dense />
}

const columns = ({ votes, stages, requestedAt }: Approval): Column<Vote>[] => [
  {
    key: 'who',
    header: t.who,
    rowHeader: true,
    cell: ({ by, onBehalfOf }) => (
      <>
        <ShownText>{by.displayName}</ShownText>
        {onBehalfOf !== undefined && (
          <span className="text-ink-2">{t.asDelegateOf({ onBehalfOf: onBehalfOf.displayName, shown: shownText })}</span>
        )}
      </>
    ),
  },
  {
    key: 'verdict',
    header: t.decision,
    cell: ({ decision, confirmation }) => (
      <span className="flex flex-col">
        <StatusShape status={shapes[decision]} label={DECIDED[decision]} />
        {confirmation !== undefined && <span className="text-ink-2">{t.signedWithPasskey}</span>}
      </span>
    ),
  },
  ...(stages.length === 0 ? [] : [stageColumn(votes, stages)]),
  {
    key: 'when',
    header: t.when,
    cell: (vote) => (
      <span className="flex flex-col">
        <Time at={vote.at} show="absolute" />
        <span className="text-ink-2">{t.after({ duration: formatDuration(tookMs(vote, votes, requestedAt)) })}</span>
      </span>
    ),
  },
  {
    key: 'reason',
    header: t.reason,
    cell: ({ reason }) => (
      <span className="wrap-anywhere">
        <ShownText>{reason}</ShownText>
      </span>
    ),
  },
]

const stageColumn = (votes: Approval['votes'], stages: Approval['stages']): Column<Vote> => ({
  key: 'stage',
  header: t.stage,
  cell: (vote) => (
    <>
      {t.stageOf({
        number: String(vote.stage + 1),
        stages: String(stages.length),
        group: stages[vote.stage]?.group ?? '',
        shown: shownText,
        escalated: String(isEscalated(vote, votes)),
      })}
    </>
  ),
})
