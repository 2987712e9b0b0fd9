'use client'

import { useChanges } from '#components/api/use-changes.ts'
import { usePages } from '#components/api/use-pages.ts'
import { isLive } from '#components/executions/execution-status.tsx'
import { useApi } from '#components/session/session-provider.tsx'
import type { Execution } from '#lib/schemas/executions.ts'

/** While the socket is down, in milliseconds. */
export const inputsRefreshMs = 3000

/** Answers on their way to the execution, and questions on their way to people, newest first. */
export function useResolutions({ id, status }: Execution) {
  const { client } = useApi()
  useChanges(isLive(status) ? ['inputs'] : [], inputsRefreshMs)
  return usePages({
    path: ['executions', 'inputResolutions.list'],
    input: { executionId: id },
    read: client.executions.inputResolutions.list.query,
  })
}
