'use client'

import { isLive } from '#components/executions/execution-status.tsx'
import { useApi } from '#components/session/session-provider.tsx'
import { usePages } from '#components/session/use-pages.ts'
import type { Execution } from '#lib/schemas/executions.ts'

/** How often what can still change is looked at, in milliseconds. */
export const inputsRefreshMs = 3000

/** Answers on their way to the execution, and questions on their way to people, newest first. */
export function useResolutions({ id, status }: Execution) {
  const { client } = useApi()
  return usePages({
    path: ['executions', 'inputResolutions.list'],
    input: { executionId: id },
    read: client.executions.inputResolutions.list.query,
    ...(isLive(status) ? { refreshEvery: inputsRefreshMs } : {}),
  })
}
