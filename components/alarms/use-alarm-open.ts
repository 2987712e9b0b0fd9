'use client'

import { useQuery } from '#components/api/query.ts'
import { useSession } from '#components/session/session-provider.tsx'
import { useTRPC } from '#lib/trpc.ts'
import { useOpenAlarms } from './use-open-alarms.ts'

/** The socket tells about alarms only people who may read them. In milliseconds. */
const askAgainMs = 30_000

export type AlarmOpen = {
  /** Undefined while it is unknown. */
  open: boolean | undefined
  error: unknown
  retry: () => void
}

/** Whether an alarm is open: also for people who may not see alarms, but whose lists may lack approvals because of one. */
export function useAlarmOpen(): AlarmOpen {
  const trpc = useTRPC()
  const { can } = useSession()
  const mayRead = can('audit:read')
  const alarms = useOpenAlarms()
  const now = useQuery(trpc.home.now.queryOptions(undefined, { enabled: !mayRead, refetchInterval: askAgainMs }))
  const { error, refetch } = mayRead ? alarms : now
  return {
    // A server of the version before does not say it.
    open: mayRead ? alarms.data && alarms.data.items.length > 0 : now.data && (now.data.alarmOpen ?? false),
    error,
    retry: () => void refetch(),
  }
}
