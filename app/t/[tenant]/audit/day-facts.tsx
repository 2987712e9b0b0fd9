'use client'

import { useQuery } from '#components/api/query.ts'
import { useChanges } from '#components/api/use-changes.ts'
import { Seal } from '#components/ui/status/seal.tsx'
import { formatCount } from '#lib/format.ts'
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
      <span>
        {formatCount(records, 'record')} on {date} (UTC)
      </span>
      <Seal
        state={sealed && records > 0 ? 'sealed' : 'unsealed'}
        label={
          sealed ? 'All sealed, not checked here' : `${size.toLocaleString('en')} sealed, the rest will follow shortly`
        }
      />
    </>
  )
}
