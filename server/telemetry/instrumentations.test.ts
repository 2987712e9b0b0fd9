import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { until } from '#server/testing/until.ts'

// SDKs that patch the library of a model's maker and send what they see by themselves, each in an agent of its own.

let api: TestApi
let model: Server
let environment: Record<string, string>
beforeAll(async () => {
  api = await startApi()
  model = createServer((req, res) => {
    req.resume().on('end', () => {
      res.writeHead(200, { 'content-type': 'application/json' })
      res.end(
        JSON.stringify({
          id: 'chatcmpl-1',
          object: 'chat.completion',
          created: 1_795_000_000,
          model: 'small-1-2026',
          choices: [
            { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Pavel walks into a bar' } },
          ],
          usage: { prompt_tokens: 9, completion_tokens: 21, total_tokens: 30 },
        }),
      )
    })
  }).listen(0, '127.0.0.1')
  await once(model, 'listening')
  const address = model.address()
  environment = {
    PATH: process.env.PATH ?? '',
    TELEMETRY_URL: api.baseUrl,
    TELEMETRY_TOKEN: await api.client('telemetry'),
    MODEL_URL: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`,
  }
}, 180_000)
afterAll(async () => {
  model.close()
  await api.close()
})

type Read = {
  spans: {
    spanId: string
    name: string
    kind: string
    attributes: { key: string; value?: unknown; masked?: { class: string } }[]
  }[]
}
const run = promisify(execFile)

/** The spans that an agent has sent, once there are as many, and a reader of the facts of the one of a kind. */
async function sentBy(agent: string, spans: number) {
  const script = join(import.meta.dirname, '../testing/fakes', agent)
  const { stdout } = await run(process.execPath, [script], {
    env: { ...environment, NODE_ENV: 'test' },
    timeout: 120_000,
  })
  const traceId = /^[0-9a-f]{32}$/m.exec(stdout)?.[0] ?? ''
  const maria = await api.person('maria')
  const read = await until(async () => {
    const answer = await api.query(maria, 'traces.getTrace', { traceId })
    return answer.status === 200 && payload<Read>(answer).spans.length >= spans ? payload<Read>(answer) : undefined
  }, `${agent} was heard of`)
  const of = (wanted: string) => read.spans.find(({ kind }) => kind === wanted)
  const factsOf = async (kind: string) => {
    const answer = await api.query(maria, 'traces.getSpan', { traceId, spanId: of(kind)?.spanId ?? '' })
    expect(answer.text).not.toContain('Pavel')
    return payload<{ span: { facts: object } }>(answer).span.facts
  }
  expect(of('model')?.attributes.some(({ masked }) => masked?.class === 'content')).toBe(true)
  expect(JSON.stringify(read)).not.toContain('Pavel')
  return { kinds: read.spans.map(({ kind }) => kind).sort(), factsOf }
}

test('@traceloop/node-server-sdk with its instrumentation of openai', async () => {
  const { kinds, factsOf } = await sentBy('traceloop-agent.ts', 4)
  expect(kinds).toEqual(['agent', 'model', 'tool', 'workflow'])
  expect(await factsOf('model')).toMatchObject({
    model: 'small-1-2026',
    inputTokens: 9,
    outputTokens: 21,
    service: 'joke-service',
  })
  // The SDK names the agent on everything within it: its tool stays a tool.
  expect(await factsOf('tool')).toMatchObject({ agent: 'joke_teller', tool: 'lookup', operation: 'tool' })
}, 180_000)

test('@arizeai/openinference-instrumentation-openai', async () => {
  const { kinds, factsOf } = await sentBy('openinference-agent.ts', 1)
  expect(kinds).toEqual(['model'])
  expect(await factsOf('model')).toMatchObject({
    dialect: 'openinference',
    model: 'small-1-2026',
    inputTokens: 9,
    outputTokens: 21,
    service: 'searcher',
  })
}, 180_000)
