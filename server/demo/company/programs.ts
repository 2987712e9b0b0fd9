import { call } from '#server/demo/act-as.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { decodeJson } from '#server/telemetry/decode-json.ts'
import { exportSpans } from '#server/telemetry/export.ts'
import type { Chance } from './chance.ts'

type Value = string | number
type Span = {
  name: string
  afterMs: number
  lastsMs: number
  attributes: Readonly<Record<string, Value>>
  failed?: string
}

/** Programs that no one has registered: what they do is only seen in their telemetry. */
export const programs = ['invoice-reader', 'sales-copilot'] as const
export type Program = (typeof programs)[number]

function spansOf(program: Program, chance: Chance): Span[] {
  const [input, output] = [chance.from(600, 4200), chance.from(80, 900)]
  const asks = chance.from(900, 4200)
  const model = (afterMs: number): Span => ({
    name: 'chat gpt-5-mini',
    afterMs,
    lastsMs: asks,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-5-mini',
      'gen_ai.usage.input_tokens': input,
      'gen_ai.usage.output_tokens': output,
    },
  })
  const tool = (name: string, afterMs: number): Span => ({
    name: `execute_tool ${name}`,
    afterMs,
    lastsMs: chance.from(40, 700),
    attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name },
    ...(chance.next() < 0.08 ? { failed: 'The server did not answer within 30 s.' } : {}),
  })
  return program === 'invoice-reader'
    ? [tool('read_pdf', 20), model(900), tool('post_to_ledger', 1000 + asks)]
    : [model(30), tool('search_accounts', 60 + asks), tool('update_opportunity', 900 + asks)]
}

const attributesOf = (given: Readonly<Record<string, Value>>) =>
  Object.entries(given).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }))

/** Sends one trace of the program, as its exporter would. */
export async function sendTrace(exporter: Caller, program: Program, chance: Chance): Promise<void> {
  const spans = spansOf(program, chance)
  const length = Math.max(...spans.map(({ afterMs, lastsMs }) => afterMs + lastsMs)) + 40
  const began = Date.now() - length
  const [traceId, root] = [newTraceId(), newSpanId()]
  const nanos = (ms: number) => String(BigInt(ms) * 1_000_000n)
  const all = [
    {
      name: `invoke_agent ${program}`,
      afterMs: 0,
      lastsMs: length,
      attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': program },
    } satisfies Span,
    ...spans,
  ]
  const request = {
    resourceSpans: [
      {
        resource: {
          attributes: attributesOf({ 'service.name': program, 'deployment.environment.name': 'production' }),
        },
        scopeSpans: [
          {
            scope: { name: program },
            spans: all.map(({ name, afterMs, lastsMs, attributes, failed }: Span, index) => ({
              traceId,
              spanId: index === 0 ? root : newSpanId(),
              ...(index === 0 ? {} : { parentSpanId: root }),
              name,
              kind: index === 0 ? 1 : 3,
              startTimeUnixNano: nanos(began + afterMs),
              endTimeUnixNano: nanos(began + afterMs + lastsMs),
              attributes: attributesOf(attributes),
              ...(failed === undefined ? {} : { status: { code: 2, message: failed } }),
            })),
          },
        ],
      },
    ],
  }
  await call(exportSpans, exporter, 'telemetry.export', await decodeJson(Buffer.from(JSON.stringify(request))))
}
