'use client'

import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { isLive } from '#components/executions/execution-status.tsx'
import type { Execution } from '#lib/schemas/executions.ts'
import { useTRPC } from '#lib/trpc.ts'

/** While the socket is down, in milliseconds. */
export const inputsRefreshMs = 3000

/** Returns the deliveries of answers to the execution and of questions to people, newest first. */
export function useResolutions({ id, status }: Execution) {
  const trpc = useTRPC()
  useChanges(isLive(status) ? ['inputs'] : [], inputsRefreshMs)
  return usePages(trpc.executions.inputResolutions.list, { executionId: id })
}
