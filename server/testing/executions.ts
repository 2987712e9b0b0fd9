import { z } from 'zod'
import { payload, type TestApi } from './api.ts'
import { until } from './until.ts'

export type ExecutionAnswer = {
  id: string
  status: string
  output: unknown
  error: { code: string; message: string } | null
  traceId: string
  usage: {
    modelCalls: number
    inputTokens: number
    outputTokens: number
    cost: { amount: string; currency: string } | null
  }
  endedAt: string | null
  steps: { id: string; kind: string; title: string; status: string; approvalId: string | null }[]
}

const Denied = z.object({
  error: z.object({ json: z.object({ data: z.object({ status: z.literal('denied'), executionId: z.string() }) }) }),
})

/** Functions that start and follow executions in production, as maria. */
export function executionsOf(api: TestApi) {
  const get = async (id: string) =>
    payload<ExecutionAnswer>(await api.query(await api.person('maria'), 'executions.get', { id }))
  const start = async (agentId: string, input: unknown): Promise<string> => {
    const request = { agentId, environment: 'production', input }
    const answer = await api.mutate(await api.person('maria'), 'executions.execute', request)
    // An execution whose first call was denied exists, too.
    const denied = Denied.safeParse(answer.body)
    return denied.success
      ? denied.data.error.json.data.executionId
      : payload<{ executionId: string }>(answer).executionId
  }
  const ended = (id: string, timeoutMs = 25_000) =>
    until(
      async () => {
        const execution = await get(id)
        return execution.endedAt === null ? undefined : execution
      },
      `${id} ended`,
      timeoutMs,
    )
  const events = async (id: string) =>
    payload<{ items: { type: string; stepId: string | null; data: Record<string, unknown> }[] }>(
      await api.query(await api.person('maria'), 'executions.getEvents', { id }),
    ).items
  return {
    get,
    start,
    ended,
    events,
    run: async (agentId: string, input: unknown) => ended(await start(agentId, input)),
  }
}
