'use client'

import Link from 'next/link'
import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { RequestFailed } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/home/en.ts'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { Seal } from '#components/ui/status/seal.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { formatUtcDay } from '#components/ui/text/time-format.ts'
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
      <Skeleton label={t.loadingLog} rows={2} />
    ) : (
      <RequestFailed
        error={error}
        what={t.theLog}
        act={t.seeLog}
        permission="audit:read"
        retry={() => void refetch()}
      />
    )
  const { records, size, createdAt, date, lastClosed } = data
  return (
    <KeyValues>
      <KeyValue name={t.seal}>
        <SealOfDay records={records} size={size} />
      </KeyValue>
      <KeyValue name={t.lastCheckpoint}>{createdAt === null ? t.noneToday : <Time at={createdAt} />}</KeyValue>
      <KeyValue name={t.day}>
        {can('audit:read')
          ? t.dayInUtcOpen({
              date: formatUtcDay(date),
              link: (content) => (
                <Link href={auditPath(tenant)} prefetch={false} className="text-link">
                  {content}
                </Link>
              ),
            })
          : t.dayInUtc({ date: formatUtcDay(date) })}
      </KeyValue>
      <KeyValue name={t.lastClosedDay}>{lastClosed === null ? t.noneClosed : <ClosedDay day={lastClosed} />}</KeyValue>
    </KeyValues>
  )
}

function ClosedDay({ day: { date, size, closedAt, inSealLog } }: { day: NonNullable<Checkpoint['lastClosed']> }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3">
      <span className="whitespace-nowrap">{formatUtcDay(date)}</span>
      <Seal
        state={inSealLog ? 'sealed' : 'unsealed'}
        label={inSealLog ? t.closedSealed({ count: size }) : t.closedSoon({ count: size })}
      />
      <span>{t.closedAt({ at: () => <Time at={closedAt} /> })}</span>
    </div>
  )
}

function SealOfDay({ records, size }: { records: number; size: number }) {
  if (records === 0) return <Seal state="unsealed" label={t.noRecords} />
  if (size >= records) return <Seal state="sealed" label={t.allSealed({ count: records })} />
  return <Seal state="unsealed" label={t.someSealed({ size: String(size), count: records })} />
}
