import { expect } from 'vitest'
import { payload, type TestApi } from '../api.ts'
import { until } from '../until.ts'

// How the server must show the spans of each SDK. Two tests check this: `sdks.test.ts` here runs the SDK itself (`npm run
// proof`), and `server/telemetry/recorded-sdks.test.ts` sends the recorded requests of the SDK (`npm test`).

type Span = {
  spanId: string
  name: string
  kind: string
  status: string
  attributes: { key: string; value?: unknown; masked?: { class: string } }[]
}
export type Sent = {
  agentName: string | null
  spans: Span[]
  /** The expected facts of the span of this kind. */
  factsOf(kind: string): Promise<object>
}

export type SdkAgent = {
  /** The name of its sample in `server/telemetry/recorded/`. */
  name: string
  /** The script in `sdks/`, and its arguments. */
  command: string[]
  /** The number of spans that it sends. */
  spans: number
  check(sent: Sent): Promise<void>
}

const kindsOf = ({ spans }: Sent) => spans.map(({ kind }) => kind).sort()
const maskedOf = ({ spans }: Sent) => spans.flatMap(({ attributes }) => attributes.filter((one) => one.masked))

async function checkExported(sent: Sent) {
  expect(sent.agentName).toBe('checkout-agent')
  expect(sent.spans).toMatchObject([{ name: 'chat small-1', kind: 'model', status: 'error' }])
  expect(maskedOf(sent)).toContainEqual({ key: 'gen_ai.prompt.0.content', masked: { class: 'content', length: 20 } })
  expect(await sent.factsOf('model')).toMatchObject({
    dialect: 'gen_ai',
    model: 'small-1',
    provider: 'mistral',
    inputTokens: 11,
    outputTokens: 7,
    service: 'checkout-agent',
  })
}

/** The agents whose model call names Pavel, which must not be shown. */
async function checkModelCall(sent: Sent, facts: object) {
  expect(maskedOf(sent).some(({ masked }) => masked?.class === 'content')).toBe(true)
  expect(await sent.factsOf('model')).toMatchObject({
    model: 'small-1-2026',
    inputTokens: 9,
    outputTokens: 21,
    ...facts,
  })
}

export const sdkAgents: readonly SdkAgent[] = [
  ...['json', 'json gzip', 'protobuf', 'protobuf gzip'].map((way) => ({
    name: `opentelemetry-${way.replace(' ', '-')}`,
    command: ['exporter-agent.ts', ...way.split(' ')],
    spans: 1,
    check: checkExported,
  })),
  {
    name: 'openinference-conventions',
    command: ['conventions-agent.ts'],
    spans: 1,
    async check(sent) {
      expect(kindsOf(sent)).toEqual(['model'])
      expect(maskedOf(sent)).toHaveLength(4)
      expect(await sent.factsOf('model')).toMatchObject({
        dialect: 'openinference',
        model: 'big-2',
        inputTokens: 5,
        outputTokens: 6,
      })
    },
  },
  {
    name: 'openinference-openai',
    command: ['openinference-agent.ts'],
    spans: 1,
    async check(sent) {
      expect(kindsOf(sent)).toEqual(['model'])
      await checkModelCall(sent, { dialect: 'openinference', service: 'searcher' })
    },
  },
  {
    name: 'traceloop',
    command: ['traceloop-agent.ts'],
    spans: 4,
    async check(sent) {
      expect(kindsOf(sent)).toEqual(['agent', 'model', 'tool', 'workflow'])
      await checkModelCall(sent, { service: 'joke-service' })
      // The SDK names the agent on all spans within it. A tool call must still be shown as a tool call.
      expect(await sent.factsOf('tool')).toMatchObject({ agent: 'joke_teller', tool: 'lookup', operation: 'tool' })
    },
  },
  {
    name: 'ai-sdk',
    command: ['ai-agent.ts'],
    spans: 4,
    async check(sent) {
      expect(kindsOf(sent)).toEqual(expect.arrayContaining(['model', 'tool']))
      expect(await sent.factsOf('tool')).toMatchObject({ tool: 'lookup' })
    },
  },
]

/** Waits until all spans of a trace have arrived, reads it as a member does, and compares it with the expected facts. */
export async function checkTrace(api: TestApi, { name, spans, check }: SdkAgent, traceId: string): Promise<void> {
  const maria = await api.person('maria')
  const read = await until(async () => {
    const answer = await api.query(maria, 'traces.getTrace', { traceId })
    if (answer.status !== 200) return undefined
    const found = payload<{ trace: { agentName: string | null }; spans: Span[] }>(answer)
    return found.spans.length >= spans ? found : undefined
  }, `the ${spans} spans of ${name}`)
  expect(JSON.stringify(read)).not.toContain('Pavel')
  await check({
    agentName: read.trace.agentName,
    spans: read.spans,
    async factsOf(kind) {
      const spanId = read.spans.find((span) => span.kind === kind)?.spanId ?? ''
      const answer = await api.query(maria, 'traces.getSpan', { traceId, spanId })
      expect(answer.text).not.toContain('Pavel')
      return payload<{ span: { facts: object } }>(answer).span.facts
    },
  })
}
