'use client'

import type { ReactNode } from 'react'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import { loadedLater } from '#components/ui/feedback/loaded-later.tsx'
import { useOpenAlarms } from './use-open-alarms.ts'

const NothingShown = loadedLater(() => import('./nothing-shown.tsx').then((module) => module.NothingShown))

/** An empty list of approvals. To people who may see alarms it does not say that nothing waits while one is open. */
export function NoApprovals({ title, children }: { title: string; children: ReactNode }) {
  const open = useOpenAlarms().data?.items ?? []
  return open.length > 0 ? <NothingShown /> : <EmptyState title={title}>{children}</EmptyState>
}
