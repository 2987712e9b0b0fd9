'use client'

import { useSession } from '#components/session/session-provider.tsx'
import { formatCount } from '#lib/format.ts'
import { useNow } from './use-home.ts'

/** More are not counted. */
const most = 100

/** "3 requests need you, 1 of them within the hour." */
export function Lead() {
  const { can } = useSession()
  const { data } = useNow()
  const needs = data?.needs
  if (needs === undefined || needs === null || !can('approval:decide')) return null
  if (needs.count === 0) return <p>Nothing needs you.</p>
  const count =
    needs.count >= most
      ? `More than ${most - 1} requests need`
      : `${formatCount(needs.count, 'request needs', 'requests need')}`
  return (
    <p>
      {count} you
      {needs.withinHour > 0 && (
        <>
          ,{' '}
          <strong className="font-semibold text-warn">
            {needs.withinHour === needs.count ? 'within the hour' : `${needs.withinHour} of them within the hour`}
          </strong>
        </>
      )}
      .
    </p>
  )
}
