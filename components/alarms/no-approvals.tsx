'use client'

import type { ReactNode } from 'react'
import { RequestFailed } from '#components/session/request-failed.tsx'
import * as t from '#components/texts/alarms/en.ts'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { loadedLater } from '#components/ui/feedback/loaded-later.tsx'
import { Skeleton } from '#components/ui/feedback/skeleton.tsx'
import { useAlarmOpen } from './use-alarm-open.ts'

const NothingShown = loadedLater(() => import('./nothing-shown.tsx').then((module) => module.NothingShown))

/** An empty list of approvals. It says that nothing waits only when it is known that no alarm is open. */
export function NoApprovals({ title, children }: { title: string; children: ReactNode }) {
  const { open, error, retry } = useAlarmOpen()
  if (open === true) return <NothingShown />
  if (open === false) return <EmptyState title={title}>{children}</EmptyState>
  return error === null ? (
    <Skeleton label={t.loadingAlarms} rows={2} rowClass="h-12" />
  ) : (
    <RequestFailed error={error} what={t.theAlarms} plural retry={retry} />
  )
}
