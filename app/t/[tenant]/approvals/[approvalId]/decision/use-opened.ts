'use client'

import { useEffect } from 'react'
import { useApi } from '#components/api/api.tsx'
import { type Act, useAct } from '#components/api/use-act.ts'
import type { Approval } from '#lib/schemas/approvals.ts'

/** Records that the person has the request before them, where the tenant requires a time to read it. Returns that call. */
export function useOpened(shown: Approval | undefined): Act<{ approvalId: string }> {
  const { client } = useApi()
  const opening = useAct({ send: client.approvals.open.mutate, touches: ['approvals'] })
  const { run, pending, failure, output } = opening
  const approvalId = shown !== undefined && isUnopened(shown) ? shown.approvalId : undefined
  // Once: the answer comes before the request is read again.
  const idle = !pending && failure === undefined && output === undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: `run` is new on each render.
  useEffect(() => {
    if (approvalId !== undefined && idle) run({ approvalId })
  }, [approvalId, idle])
  return opening
}

/** Whether the time to read must begin. It need not for someone who can't approve the request. */
const isUnopened = ({ reading, status, blocked }: Approval): boolean =>
  reading !== null && reading.openedAt === null && status === 'pending' && blocked === null
