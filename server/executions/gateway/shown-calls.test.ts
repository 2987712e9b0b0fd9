import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Approval, ApprovalSummary } from '#lib/schemas/approvals.ts'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { request, sendRaw } from '#server/testing/raw-mcp.ts'
import { releaseRefundAgent } from '#server/testing/refund-agent.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { until } from '#server/testing/until.ts'

// What reviewers read of a call over MCP, which is not a step of its agent's plan.

let api: TestApi
beforeAll(async () => {
  api = await startApi()
}, 180_000)
afterAll(() => api.close())

/** The presentation of a refund that a client asks for at this agent. */
async function presented(agent: string, amount: string): Promise<Approval['presentation']> {
  const params = {
    name: 'issue_refund',
    arguments: { id: 'A-1003', amount, currency: 'EUR' },
    _meta: { 'countersign/waitSeconds': 0 },
  }
  const path = `/v1/mcp/t/org-northwind-mutual/${agent}/payments`
  await sendRaw(api, { token: await api.person('maria'), path }, request(1, 'tools/call', params))
  const jonas = await api.person('jonas')
  const { approvalId } = await until(async () => {
    const { items } = payload<{ items: ApprovalSummary[] }>(
      await api.query(jonas, 'approvals.getPending', { limit: 50 }),
    )
    return items.find((item) => item.amount?.value === amount)
  }, 'the call waits for a reviewer')
  return payload<Approval>(await api.query(jonas, 'approvals.get', { approvalId })).presentation
}

test('a call of an agent with a plan does not show the facts of the plan, and says who gets its result', async () => {
  await releaseRefundAgent(api, 'planned')
  const { card, effects, onReject } = await presented('planned', '12.01')
  expect(card).toEqual({ title: null, facts: [], links: [] })
  expect(effects.at(-1)).toBe(
    'The program that asked gets the result: immediately if it still waits, otherwise when it asks again.',
  )
  expect(onReject).toBe('The tool is not called. The program that asked gets an error that says so.')
})

test('a call of an agent elsewhere shows its arguments as the input, and "unknown" only for what it could have said', async () => {
  const facts = [
    { label: 'Order', value: '${input.id}' },
    { label: 'Sum', value: '${input.arguments.amount} ${input.currency}' },
    { label: 'Why', value: '${input.reason}' },
    { label: 'Customer', value: '${steps.order.output.customer.name}' },
  ]
  await releaseAgent(api, 'elsewhere', {
    runtime: { observe: {} },
    tools: { payments: ['issue_refund'] },
    more: { approvalCard: { title: 'Order ${input.id}', facts } },
  })
  const { card } = await presented('elsewhere', '12.02')
  expect(card?.title).toBe('Order A-1003')
  expect(card?.facts.map(({ label, value }) => [label, value])).toEqual([
    ['Order', 'A-1003'],
    ['Sum', '12.02 EUR'],
    ['Why', null],
  ])
})
