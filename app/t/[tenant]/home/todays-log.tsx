'use client'

import Link from 'next/link'
import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { Seal } from '#components/ui/status/seal.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { formatCount } from '#lib/format.ts'
import { auditPath } from '#lib/paths.ts'
import type { Checkpoint } from '#lib/schemas/audit.ts'
import { useTRPC } from '#lib/trpc.ts'

const refreshMs = 15_000

/** Shows how much of today's audit log is covered by a signed checkpoint. */
export function TodaysLog() {
  const trpc = useTRPC()
  const { tenant, can } = useSession()
  useChanges(['audit', 'seals'], refreshMs)
  const { data, error, refetch } = useQuery(trpc.audit.checkpoint.queryOptions({}, { staleTime: refreshMs }))
  if (data === undefined)
    return error === null ? (
      <Skeleton label="Loading today’s log…" rows={2} />
    ) : (
      <RequestFailed
        error={error}
        what="Today’s log"
        act="see the audit log"
        permission="audit:read"
        retry={() => void refetch()}
      />
    )
  const { records, size, createdAt, date, lastClosed } = data
  return (
    <KeyValues>
      <KeyValue name="Seal">
        <SealOfDay records={records} size={size} />
      </KeyValue>
      <KeyValue name="Last checkpoint">{createdAt === null ? 'None yet today' : <Time at={createdAt} />}</KeyValue>
      <KeyValue name="Day">
        {date}, in UTC
        {can('audit:read') && (
          <>
            {'. '}
            <Link href={auditPath(tenant)} prefetch={false} className="text-link">
              Open the audit log
            </Link>
          </>
        )}
      </KeyValue>
      <KeyValue name="Last closed day">
        {lastClosed === null ? 'None yet: the first day closes at midnight UTC' : <ClosedDay day={lastClosed} />}
      </KeyValue>
    </KeyValues>
  )
}

function ClosedDay({ day: { date, size, closedAt, inSealLog } }: { day: NonNullable<Checkpoint['lastClosed']> }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3">
      <span className="whitespace-nowrap">{date}</span>
      <Seal
        state={inSealLog ? 'sealed' : 'unsealed'}
        label={`${formatCount(size, 'record')}, ${inSealLog ? 'sealed, not checked here' : 'closed, to be sealed shortly'}`}
      />
      <span>
        Closed <Time at={closedAt} />
      </span>
    </div>
  )
}

function SealOfDay({ records, size }: { records: number; size: number }) {
  const count = formatCount(records, 'record')
  if (records === 0) return <Seal state="unsealed" label="No records yet today" />
  if (size >= records)
    return <Seal state="sealed" label={`${records === 1 ? count : `All ${count}`} sealed, not checked here`} />
  return <Seal state="unsealed" label={`${size} of ${count} sealed, the rest to be sealed shortly`} />
}
