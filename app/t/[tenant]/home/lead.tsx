'use client'

import { useAlarmOpen } from '#components/alarms/use-alarm-open.ts'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/home/en.ts'
import { useNow } from './use-home.ts'

/** More are not counted. */
const most = 100

/** While an alarm is open, or while that is unknown, the list below says more. */
const Nothing = () => useAlarmOpen().open === false && <p>{t.nothingNeeds}</p>

/** "3 requests need you, 1 of them within the hour." */
export function Lead() {
  const { can } = useSession()
  const { data } = useNow()
  const needs = data?.needs
  if (needs === undefined || needs === null || !can('approval:decide')) return null
  if (needs.count === 0) return <Nothing />
  const more = needs.count >= most
  return (
    <p>
      {t.needs({
        more: String(more),
        count: more ? most - 1 : needs.count,
        soon: needs.withinHour === 0 ? 'none' : needs.withinHour === needs.count ? 'all' : 'some',
        soonCount: String(needs.withinHour),
        warn: (content) => <strong className="font-semibold text-warn">{content}</strong>,
      })}
    </p>
  )
}
