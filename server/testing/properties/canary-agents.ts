import { payload, type TestApi } from '#server/testing/api.ts'
import { executionsOf } from '#server/testing/executions.ts'
import type { ModelServer } from '#server/testing/fakes/model-server.ts'
import { approve } from '#server/testing/refund-agent.ts'
import { releaseAgent } from '#server/testing/released-agent.ts'
import { until } from '#server/testing/until.ts'

/** `content` is a text in free-form fields; `sensitive` is at a path of the manifests' data.sensitive. */
export type Canaries = { content: string; sensitive: string }

const data = { sensitive: [{ path: '$.customer.email', class: 'pii.email' }] }

/** Creates an agent that calls a tool, waits for three inputs, requests an approval, and fails with the tool's error. */
export const stepsAgent = (api: TestApi) =>
  releaseAgent(api, 'canaries', {
    steps: [
      {
        id: 'echo',
        tool: {
          server: 'hostile',
          name: 'echo',
          arguments: { value: { who: `\${input.customer}`, note: `\${input.note}` } },
        },
      },
      { id: 'ok', wait: { all: ['plain', 'structured', 'binary'] } },
      { id: 'refund', tool: { server: 'payments', name: 'issue_refund', arguments: { id: `\${input.note}` } } },
    ],
    tools: { hostile: ['echo'], payments: ['issue_refund'] },
    more: {
      data,
      risk: { tier: 'low' },
      inputs: [{ name: 'plain' }, { name: 'structured' }, { name: 'binary' }],
      governance: { approvals: { group: 'refund-approvers', quorum: 1, expiresAfter: 'P7D' } },
    },
  })

/** Runs an execution of this agent to its end, with canaries in each input. Returns the execution. */
export async function runSteps(api: TestApi, agentId: string, { content, sensitive }: Canaries) {
  const executions = executionsOf(api)
  const id = await executions.start(agentId, { customer: { email: sensitive }, note: content })
  await until(async () => ((await executions.get(id)).status === 'waiting_input' ? true : undefined), `${id} waits`)
  const value = { customer: { email: sensitive }, note: content }
  const about = (input: string) => ({
    id: `${content}-${input}-${sensitive}`,
    source: `/${content}/${sensitive}`,
    type: `example.${content}`,
    subject: `${content} ${sensitive}`,
    executionid: id,
    input,
  })
  const json = { 'content-type': 'application/json' }
  await sent(
    api,
    { ...json, 'idempotency-key': `${content} ${sensitive} key` },
    {
      correlation: { executionId: id, input: 'plain' },
      source: content,
      subject: sensitive,
      id: content,
      data: value,
    },
  )
  const structured = { specversion: '1.0', ...about('structured'), data: value }
  await sent(api, { 'content-type': 'application/cloudevents+json' }, structured)
  const headers = Object.entries({ specversion: '1.0', ...about('binary') })
  await sent(api, { ...json, ...Object.fromEntries(headers.map(([key, text]) => [`ce-${key}`, text])) }, value)
  const approvalId = await until(
    async () => (await executions.get(id)).steps.find((step) => step.id === 'refund')?.approvalId ?? undefined,
    `${id} asks`,
  )
  await approve(api, approvalId)
  return { ...(await executions.ended(id)), approvalId }
}

async function sent(api: TestApi, headers: Record<string, string>, body: unknown): Promise<void> {
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  const answer = await api.request(await api.client('ci-pipeline'), '/v1/input-events', init)
  if (answer.status !== 202) throw new Error(`${answer.status}: ${answer.text}`)
}

/** Runs a conversation in which the person, the model and a tool's error contain the canaries. */
export async function runChat(api: TestApi, model: ModelServer, { content, sensitive }: Canaries) {
  const name = 'canary-chat'
  const agentId = await releaseAgent(api, name, {
    runtime: {
      chat: {
        endpoint: model.url,
        model: name,
        prices: { input: '1', output: '10', currency: 'USD' },
        instructions: 'Be brief.',
        prompt: `\${input.ask}`,
      },
    },
    tools: { payments: ['lookup_order'] },
    more: { data },
  })
  model.script(
    name,
    { toolCalls: [{ name: 'payments__lookup_order', arguments: { id: content } }] },
    { text: `${content} has the address ${sensitive}` },
  )
  const ask = `Who is ${content}, ${sensitive}?`
  return await executionsOf(api).run(agentId, { ask, customer: { email: sensitive } })
}

/** Sends the requests of an external agent. */
export async function askAsExternalAgent(
  api: TestApi,
  agentId: string,
  { content, sensitive }: Canaries,
): Promise<void> {
  const ci = await api.client('ci-pipeline')
  const call = { agentId, environment: 'production' }
  const echo = { ...call, resource: 'hostile/echo', arguments: { value: content, customer: { email: sensitive } } }
  payload(await api.mutate(ci, 'policies.evaluate', echo, { 'idempotency-key': `${content} evaluates` }))
  const refund = {
    ...call,
    resource: 'payments/issue_refund',
    arguments: { id: content, customer: { email: sensitive } },
  }
  const asked = payload<{ approvalId?: string }>(await api.mutate(ci, 'approvals.request', refund))
  if (asked.approvalId === undefined) throw new Error('The refund does not require an approval.')
}
