'use client'

import { useQuery } from '#components/api/query.ts'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { formatDuration } from '#lib/format.ts'
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
        <h2 id="oversight">How groups decide</h2>
        <span className="text-dense text-ink-2">
          in the last {days} days, from the moment the group was asked to the vote
          {data !== undefined && `; ${floorText(data.readingSeconds)}`}
        </span>
      </div>
      {error !== null && data === undefined ? (
        <RequestFailed
          error={error}
          what="The figures"
          act="see them"
          permission="audit:read"
          retry={() => void refetch()}
        />
      ) : data === undefined ? (
        <Skeleton label="Loading the figures…" rows={2} rowClass="h-7" />
      ) : data.groups.length === 0 ? (
        <p>No one has decided a request in this time.</p>
      ) : (
        <DataTable
          caption="How groups decide"
          columns={columns}
          rows={data.groups}
          rowKey={(group) => group.groupId}
          dense
        />
      )}
    </section>
  )
}

const floorText = (seconds: number | null): string =>
  seconds === null ? 'no minimum time to read' : `at least ${seconds} s to read before approving high and critical risk`

const share = (part: number, of: number): string => (of === 0 ? '' : ` (${Math.round((100 * part) / of)} %)`)
const took = (seconds: number | null): string => (seconds === null ? 'unknown' : formatDuration(seconds * 1000))

const columns: Column<Group>[] = [
  { key: 'group', header: 'Group', rowHeader: true, cell: ({ group }) => <ShownText>{group}</ShownText> },
  { key: 'decided', header: 'Decided', align: 'end', cell: ({ decided }) => decided },
  {
    key: 'rejected',
    header: 'Rejected',
    align: 'end',
    cell: ({ rejected, decided }) => `${rejected}${share(rejected, decided)}`,
  },
  { key: 'expired', header: 'Expired', align: 'end', cell: ({ expired }) => expired },
  {
    key: 'quick',
    header: 'In under 10 s',
    align: 'end',
    cell: ({ quick, decided }) => `${quick}${share(quick, decided)}`,
  },
  { key: 'median', header: 'Median', align: 'end', cell: ({ medianSeconds }) => took(medianSeconds) },
  {
    key: 'length',
    header: 'Short and long requests',
    cell: ({ medianSecondsShort, medianSecondsLong }) => `${took(medianSecondsShort)}, ${took(medianSecondsLong)}`,
  },
  {
    key: 'voters',
    header: 'Most votes',
    cell: ({ mostVotes, decided, voters }) =>
      mostVotes === null ? (
        'none'
      ) : (
        <>
          <ShownText>{mostVotes.by.displayName}</ShownText>, {mostVotes.votes}
          {share(mostVotes.votes, decided)}
          {voters === 1 && ', alone'}
        </>
      ),
  },
]
