import { spawn } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '../api.ts'
import { approve } from '../refund-agent.ts'
import { releaseAgent } from '../released-agent.ts'
import { until } from '../until.ts'
import { startToolModel } from './tool-model.ts'

// The agents of docs/examples, as they are printed there, with a model that does what the prompt says.

const examples = join(import.meta.dirname, '../../../docs/examples')
/** Milliseconds until an agent has asked; on busy cores, Python needs half a minute to import its SDK. */
const agentMs = 240_000
const python = join(process.env.PROOF_PYTHON ?? '', 'bin/python')

let api: TestApi
let model: Awaited<ReturnType<typeof startToolModel>>
/** A folder from which Node finds the SDKs. */
let folder: string
let environment: NodeJS.ProcessEnv
beforeAll(async () => {
  ;[api, model, folder] = await Promise.all([
    startApi(),
    startToolModel(),
    mkdtemp(join(import.meta.dirname, 'sdks/.examples-')),
  ])
  await cp(examples, folder, { recursive: true })
  const agentId = await releaseAgent(api, 'local-refunds', {
    runtime: { observe: {} },
    tools: {},
    more: { tools: [{ local: [{ name: 'refund' }], requireApproval: ['refund'] }] },
  })
  await releaseAgent(api, 'refunds', {
    runtime: { observe: {} },
    tools: { payments: ['lookup_order', 'issue_refund'] },
  })
  environment = {
    NODE_ENV: 'test',
    PATH: process.env.PATH ?? '',
    HOME: folder,
    COUNTERSIGN_URL: api.baseUrl,
    COUNTERSIGN_TOKEN: await api.client('ci-pipeline'),
    AGENT_ID: agentId,
    AGENT: 'refunds',
    OPENAI_BASE_URL: model.url,
    OPENAI_API_KEY: 'unused',
    OPENAI_AGENTS_DISABLE_TRACING: '1',
  }
}, 180_000)
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await model.close()
  await api.close()
})

/** What an example prints. Throws with its errors if it fails. */
async function run(command: string, args: string[], prompt: string): Promise<string> {
  const child = spawn(command, [...args, prompt], { cwd: folder, env: environment })
  const texts = { out: '', error: '' }
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    texts.out += part
  })
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    texts.error += part
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`${code}: ${texts.error}`)
  return texts.out.trim()
}

const waiting = async (resource: string) => {
  const { items } = payload<{ items: { approvalId: string; resource: string }[] }>(
    await api.query(await api.person('jonas'), 'approvals.getPending', { limit: 100 }),
  )
  return items.filter((item) => item.resource === resource).map(({ approvalId }) => approvalId)
}

/** The next request for this resource while an agent runs. Throws what the agent printed if it ends without one. */
async function requested(resource: string, running: Promise<string>, known: readonly string[] = []): Promise<string> {
  const ended = running.then((text) => {
    throw new Error(`The agent ended without a request: ${text}`)
  })
  const found = until(
    async () => (await waiting(resource)).find((approvalId) => !known.includes(approvalId)),
    `a request for ${resource}`,
    agentMs,
  )
  return await Promise.race([found, ended])
}

describe.each(['ai-sdk.ts', 'openai-agents.ts'])('%s', { timeout: 2 * agentMs }, (file) => {
  test('runs its tool once people have approved the call', async () => {
    const running = run(process.execPath, [join(folder, file)], 'refund {"id":"A-1001","amount":"10.00"}')
    await approve(api, await requested('local/refund', running))
    expect(await running).toBe('The tool answered: Refunded 10.00 of order A-1001.')
  })

  test('does not run it after a rejection', async () => {
    const running = run(process.execPath, [join(folder, file)], 'refund {"id":"A-1002","amount":"10.00"}')
    const approvalId = await requested('local/refund', running)
    const input = { approvalId, decision: 'reject', decisionAcknowledged: true, reason: 'Not this one.' }
    payload(await api.mutate(await api.person('jonas'), 'approvals.decide', input))
    const answer = await running
    expect(answer).toBe('The tool answered: Denied: the request was rejected.')
  })
})

describe.each(['langgraph_agent.py', 'openai_agents.py'])('%s', { timeout: 2 * agentMs }, (file) => {
  test('calls a tool through the gateway', async () => {
    const answer = await run(python, [join(folder, file)], 'lookup_order {"id":"A-1003"}')
    expect(answer).toMatch(/^The tool answered: .*A-1003/s)
  })

  test('gets the result of a call once people have approved it', async () => {
    const known = await waiting('payments/issue_refund')
    const refund = () =>
      run(python, [join(folder, file)], `issue_refund {"id":"A-1003","amount":"${amount}","currency":"EUR"}`)
    const amount = file.startsWith('langgraph') ? '10.00' : '11.00'
    const first = refund()
    await approve(api, await requested('payments/issue_refund', first, known))
    // An agent that was answered before people decided repeats the call.
    const early = /waiting for approval/.test(await first)
    expect(early ? await refund() : await first).toMatch(new RegExp(`^The tool answered: .*${amount}`, 's'))
  })
})
