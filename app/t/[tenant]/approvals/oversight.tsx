'use client'

import { useQuery } from '#components/api/query.ts'
import { formatDuration } from '#components/language/formats.ts'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/approvals/en.ts'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { Answers } from '#lib/trpc.ts'
import { useTRPC } from '#lib/trpc.ts'

type Group = Answers['approvals']['oversight']['groups'][number]

const days = 30

/** For auditors: how each group decided lately. Nothing for people who may not see it. */
export function OversightOfGroups() {
  const { can } = useSession()
  return can('audit:read') ? <Groups /> : null
}

function Groups() {
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(trpc.approvals.oversight.queryOptions({ days }))
  return (
    <section aria-labelledby="oversight" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-baseline gap-x-2">
        <h2 id="oversight">{t.howGroupsDecide}</h2>
        <span className="text-dense text-ink-2">
          {t.inLastDaysFrom({
            days,
            known: String(data !== undefined),
            reading: data === undefined ? '' : floorText(data.readingSeconds),
          })}
        </span>
      </div>
      {error !== null && data === undefined ? (
        <RequestFailed
          error={error}
          what={t.theFigures}
          act={t.seeThem}
          permission="audit:read"
          retry={() => void refetch()}
        />
      ) : data === undefined ? (
        <Skeleton label={t.loadingFigures} rows={2} rowClass="h-7" />
      ) : data.groups.length === 0 ? (
        <p>{t.noOneHasDecided}</p>
      ) : (
        <DataTable
          caption={t.howGroupsDecide}
          columns={columns}
          rows={data.groups}
          rowKey={(group) => group.groupId}
          dense
        />
      )}
    </section>
  )
}

const floorText = (seconds: number | null): string => (seconds === null ? t.noMinimumTimeTo : t.atLeastSTo({ seconds }))

const share = (part: number, of: number): string => (of === 0 ? '' : ` (${Math.round((100 * part) / of)} %)`)
const took = (seconds: number | null): string => (seconds === null ? t.unknownTime : formatDuration(seconds * 1000))

const columns: Column<Group>[] = [
  { key: 'group', header: t.group, rowHeader: true, cell: ({ group }) => <ShownText>{group}</ShownText> },
  { key: 'decided', header: t.decided, align: 'end', cell: ({ decided }) => decided },
  {
    key: 'rejected',
    header: t.rejected,
    align: 'end',
    cell: ({ rejected, decided }) => `${rejected}${share(rejected, decided)}`,
  },
  { key: 'expired', header: t.expired, align: 'end', cell: ({ expired }) => expired },
  {
    key: 'quick',
    header: t.inUnder10S,
    align: 'end',
    cell: ({ quick, decided }) => `${quick}${share(quick, decided)}`,
  },
  { key: 'median', header: t.median, align: 'end', cell: ({ medianSeconds }) => took(medianSeconds) },
  {
    key: 'length',
    header: t.shortAndLongRequests,
    cell: ({ medianSecondsShort, medianSecondsLong }) => `${took(medianSecondsShort)}, ${took(medianSecondsLong)}`,
  },
  {
    key: 'voters',
    header: t.mostVotes,
    cell: ({ mostVotes, decided, voters }) =>
      mostVotes === null ? (
        t.noVotes
      ) : (
        <>
          <ShownText>{mostVotes.by.displayName}</ShownText>, {mostVotes.votes}
          {share(mostVotes.votes, decided)}
          {voters === 1 && t.alone}
        </>
      ),
  },
]
