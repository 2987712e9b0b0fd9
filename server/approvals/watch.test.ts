import { createTRPCClient, createWSClient, wsLink } from '@trpc/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { ApprovalEvent } from '#lib/schemas/approvals.ts'
import { wireTransformer } from '#lib/wire.ts'
import { newSpanId } from '#server/kernel/ids.ts'
import type { AppRouter } from '#server/router.ts'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { releaseRefundAgent } from '#server/testing/refund-agent.ts'
import { until } from '#server/testing/until.ts'

// A requester receives the decision over a real socket, also after a reconnect.

let api: TestApi
let maria: string
beforeAll(async () => {
  api = await startApi()
  maria = await api.person('maria')
}, 180_000)
afterAll(() => api.close())

function connect(token: string) {
  const socket = createWSClient({
    url: `${api.baseUrl.replace('http', 'ws')}/v1`,
    WebSocket: WebSocket as never,
    connectionParams: { authorization: `Bearer ${token}` },
  })
  const client = createTRPCClient<AppRouter>({ links: [wsLink({ client: socket, transformer: wireTransformer })] })
  return { client, close: () => socket.close() }
}

/** Subscribes to a request; `ended`: whether the server closed the stream. */
function follow(token: string, approvalId: string, lastEventId?: string) {
  const { client, close } = connect(token)
  const seen: { id: string; data: ApprovalEvent }[] = []
  const state = { seen, ended: false, code: undefined as string | undefined, close }
  client.approvals.watch.subscribe(
    { approvalId, ...(lastEventId === undefined ? {} : { lastEventId }) },
    {
      onData: ({ id, data }) => seen.push({ id, data }),
      onComplete: () => {
        state.ended = true
      },
      onError: (error) => {
        state.code = error.data?.code
      },
    },
  )
  return state
}
const statuses = (seen: { data: ApprovalEvent }[]) =>
  seen.flatMap(({ data }) => (data.type === 'approval' ? [data.approval.status] : []))

/** The approval of a refund that waits for a reviewer. */
async function pending(): Promise<string> {
  const agentId = await releaseRefundAgent(api, `refund-${newSpanId()}`)
  const input = { orderId: 'A-1001' }
  await api.mutate(maria, 'executions.execute', { agentId, environment: 'production', input })
  return await until(async () => {
    const { items } = payload<{ items: { approvalId: string; kind: string }[] }>(
      await api.query(maria, 'approvals.getPending', {}),
    )
    return items.find(({ kind }) => kind === 'tool_call')?.approvalId
  }, 'the refund waits for a reviewer')
}
const decide = async (approvalId: string, decision: string) =>
  await api.mutate(await api.person('jonas'), 'approvals.decide', {
    approvalId,
    decision,
    decisionAcknowledged: true,
    reason: 'Read it.',
  })

test('sends a request immediately and when it is decided, without arguments, then ends; a new stream resumes', async () => {
  const approvalId = await pending()
  const first = follow(maria, approvalId)
  await until(async () => statuses(first.seen)[0], 'the pending request arrived')
  const resumed = follow(maria, approvalId, first.seen[0]?.id)
  await decide(approvalId, 'approve')
  await until(async () => (first.ended && resumed.ended ? true : undefined), 'both streams ended')
  expect(statuses(first.seen)).toEqual(['pending', 'approved'])
  expect(statuses(resumed.seen)).toEqual(['approved'])
  expect(JSON.stringify(first.seen)).not.toContain('pavel.novak@mail.example')
  expect(first.seen[0]?.data).not.toHaveProperty('approval.presentation')

  // A decided request that was already received is not sent again.
  const late = follow(maria, approvalId, first.seen.at(-1)?.id)
  await until(async () => (late.ended ? true : undefined), 'the late stream ended')
  expect(late.seen).toEqual([])
  for (const one of [first, resumed, late]) await one.close()
})

test('sends nothing for another tenant’s request or without the permission', async () => {
  const approvalId = await pending()
  for (const [token, code] of [
    [await api.person('jonas', 'globex'), 'NOT_FOUND'],
    [await api.client('telemetry'), 'FORBIDDEN'],
  ] as const) {
    const foreign = follow(token, approvalId)
    await until(async () => foreign.code, 'the refusal arrived')
    expect(foreign.code).toBe(code)
    expect(foreign.seen).toEqual([])
    await foreign.close()
  }
})
