'use client'

import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { formatNumber } from '#components/language/formats.ts'
import * as t from '#components/texts/audit/en.ts'
import { Seal } from '#components/ui/status/seal.tsx'
import { formatUtcDay } from '#components/ui/text/time-format.ts'
import { useTRPC } from '#lib/trpc.ts'

const refreshMs = 15_000

/** How many of today's records are sealed. Empty while that is unknown, because the list below shows its own errors. */
export function DayFacts() {
  const trpc = useTRPC()
  useChanges(['audit', 'seals'], refreshMs)
  const { data } = useQuery(trpc.audit.checkpoint.queryOptions({}))
  if (data === undefined) return <span className="min-h-5" />
  const { date, records, size } = data
  const sealed = size >= records
  return (
    <>
      <span>{t.recordsOnUtc({ records, date: formatUtcDay(date) })}</span>
      <Seal
        state={sealed && records > 0 ? 'sealed' : 'unsealed'}
        label={sealed ? t.allSealedNotChecked : t.sealedRestWillFollow({ size: formatNumber(size) })}
      />
    </>
  )
}
