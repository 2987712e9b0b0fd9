import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { conversationOf } from './conversation.ts'

const masked = { class: 'pii.email', length: 17 }
const read = (attributes: Record<string, JsonValue>) =>
  conversationOf(Object.entries(attributes).map(([key, value]) => ({ key, value })))
const text = (words: string) => ({ kind: 'text', text: words })

/** The spans of a recorded SDK, by name, with the attributes that it sent as JSON. */
async function recorded(name: string): Promise<Map<string, Record<string, JsonValue>[]>> {
  const file = new URL(`../../../server/telemetry/recorded/${name}.json`, import.meta.url)
  const { requests } = JSON.parse(await readFile(file, 'utf8')) as {
    requests: { contentType: string; contentEncoding: string | null; body: string }[]
  }
  const spans = new Map<string, Record<string, JsonValue>[]>()
  for (const { contentType, contentEncoding, body } of requests) {
    if (contentType !== 'application/json') continue
    const bytes = Buffer.from(body, 'base64')
    const sent = JSON.parse(String(contentEncoding === 'gzip' ? gunzipSync(bytes) : bytes)) as JsonObject
    for (const span of listsIn(sent, ['resourceSpans', 'scopeSpans', 'spans']))
      spans.set(String(span.name), [...(spans.get(String(span.name)) ?? []), attributesOf(span)])
  }
  return spans
}

const listsIn = (value: JsonValue | undefined, [name, ...rest]: string[]): JsonObject[] => {
  if (!isJsonObject(value)) return []
  if (name === undefined) return [value]
  const inner = value[name]
  return (Array.isArray(inner) ? inner : []).flatMap((one) => listsIn(one, rest))
}

const attributesOf = (span: JsonObject) =>
  Object.fromEntries(
    (span.attributes as { key: string; value: JsonObject }[]).map(({ key, value }) => [
      key,
      Object.values(value)[0] ?? null,
    ]),
  )

describe('recorded SDKs', () => {
  test('the AI SDK: a question, a call, its result and the answer', async () => {
    const spans = await recorded('ai-sdk')
    const [first, second] = spans.get('chat mock-model-id') ?? []
    expect(read(first ?? {})?.messages).toEqual([
      { role: 'user', parts: [text('Where is the order of Pavel?')] },
      { role: 'assistant', parts: [{ kind: 'call', id: 'c1', name: 'lookup', arguments: { id: 'A-7' } }] },
    ])
    expect(read(second ?? {})?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(read(second ?? {})?.messages[2]?.parts).toEqual([
      { kind: 'result', id: 'c1', name: 'lookup', value: 'shipped to Pavel', failed: false },
    ])
    const [tool] = spans.get('execute_tool lookup') ?? []
    expect(read(tool ?? {})?.messages).toEqual([
      { role: 'assistant', parts: [{ kind: 'call', name: 'lookup', arguments: { id: 'A-7' } }] },
      { role: 'tool', parts: [{ kind: 'result', name: 'lookup', value: 'shipped to Pavel', failed: false }] },
    ])
    expect(read((spans.get('step 1') ?? [])[0] ?? {})).toBeUndefined()
  })

  test('OpenInference: messages in one attribute for each member', async () => {
    const [span] = (await recorded('openinference-openai')).get('OpenAI Chat Completions') ?? []
    const conversation = read(span ?? {})
    expect(conversation?.messages).toEqual([
      { role: 'user', parts: [text('Tell a joke about Pavel')] },
      { role: 'assistant', parts: [text('Pavel walks into a bar')] },
    ])
    expect([...(conversation?.keys ?? [])]).toContain('llm.input_messages.0.message.content')
    expect([...(conversation?.keys ?? [])]).not.toContain('llm.model_name')
  })
})

test('an execution of this product: messages of a chat endpoint, and an answer with calls', () => {
  const conversation = read({
    'gen_ai.input.messages': [
      { role: 'system', content: 'You help.' },
      { role: 'user', content: 'Refund A-1' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'pay__refund', arguments: '{"id":"A-1"}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: '{"state":"done"}' },
    ],
    'gen_ai.output.messages': { content: 'Done.', toolCalls: [], finishReason: 'stop' },
  })
  expect(conversation?.messages).toEqual([
    { role: 'system', parts: [text('You help.')] },
    { role: 'user', parts: [text('Refund A-1')] },
    { role: 'assistant', parts: [{ kind: 'call', id: 'c', name: 'pay__refund', arguments: { id: 'A-1' } }] },
    {
      role: 'tool',
      parts: [{ kind: 'result', id: 'c', name: 'pay__refund', value: { state: 'done' }, failed: false }],
    },
    { role: 'assistant', parts: [text('Done.')] },
  ])
})

test('OpenInference with calls and images, in the order of their numbers', () => {
  const at = (index: number, rest: string) => `llm.input_messages.${index}.message.${rest}`
  const conversation = read({
    [at(10, 'role')]: 'tool',
    [at(10, 'content')]: 'found',
    [at(10, 'name')]: 'lookup',
    [at(2, 'role')]: 'assistant',
    [at(2, 'tool_calls.0.tool_call.function.name')]: 'lookup',
    [at(2, 'tool_calls.0.tool_call.function.arguments')]: '{"id":7}',
    [at(1, 'role')]: 'user',
    [at(1, 'contents.0.message_content.type')]: 'text',
    [at(1, 'contents.0.message_content.text')]: 'What is this?',
    [at(1, 'contents.1.message_content.type')]: 'image',
    [at(1, 'contents.1.message_content.image.image.url')]: 'https://pictures.example/a.png?token=s3cret',
  })
  expect(conversation?.messages).toEqual([
    {
      role: 'user',
      parts: [text('What is this?'), { kind: 'media', what: 'Image', note: 'at pictures.example' }],
    },
    { role: 'assistant', parts: [{ kind: 'call', name: 'lookup', arguments: { id: 7 } }] },
    { role: 'tool', parts: [{ kind: 'result', name: 'lookup', value: 'found', failed: false }] },
  ])
})

test('Traceloop’s older names', () => {
  const conversation = read({
    'gen_ai.prompt.0.role': 'system',
    'gen_ai.prompt.0.content': 'Be brief.',
    'gen_ai.prompt.1.role': 'user',
    'gen_ai.prompt.1.content': 'Hello',
    'gen_ai.completion.0.role': 'assistant',
    'gen_ai.completion.0.tool_calls.0.name': 'wave',
    'gen_ai.completion.0.tool_calls.0.arguments': '{}',
  })
  expect(conversation?.messages.map(({ role, parts }) => [role, parts[0]?.kind])).toEqual([
    ['system', 'text'],
    ['user', 'text'],
    ['assistant', 'call'],
  ])
})

test('the AI SDK up to version 6', () => {
  const conversation = read({
    'ai.prompt.messages': JSON.stringify([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'image', image: 'data:image/png;base64,AAAA', mediaType: 'image/png' },
        ],
      },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolName: 'look', output: { type: 'text', value: 'x' }, isError: true }],
      },
    ]),
    'ai.response.text': 'Hello',
    'ai.response.toolCalls': JSON.stringify([{ toolCallId: 'c', toolName: 'look', input: '{"a":1}' }]),
  })
  expect(conversation?.messages).toEqual([
    { role: 'user', parts: [text('Hi'), { kind: 'media', what: 'Image', note: 'image/png' }] },
    { role: 'tool', parts: [{ kind: 'result', name: 'look', value: { type: 'text', value: 'x' }, failed: true }] },
    { role: 'assistant', parts: [text('Hello'), { kind: 'call', id: 'c', name: 'look', arguments: { a: 1 } }] },
  ])
  expect(read({ 'ai.prompt': JSON.stringify({ system: 'Be kind.', prompt: 'Hi' }) })?.messages).toEqual([
    { role: 'system', parts: [text('Be kind.')] },
    { role: 'user', parts: [text('Hi')] },
  ])
})

describe('masked values keep their place', () => {
  test('a masked attribute is a masked message of its side', () => {
    const conversation = conversationOf([
      { key: 'gen_ai.input.messages', masked: { class: 'content', length: 900 } },
      { key: 'gen_ai.output.messages', erased: true },
    ])
    expect(conversation?.messages).toEqual([
      { role: 'user', parts: [{ kind: 'masked', masked: { class: 'content', length: 900 } }] },
      { role: 'assistant', parts: [{ kind: 'erased' }] },
    ])
  })

  test('inside messages, calls and results', () => {
    const conversation = read({
      'gen_ai.input.messages': [
        { role: 'user', content: { $masked: masked } },
        {
          role: 'user',
          parts: [
            { type: 'text', content: 'Write to' },
            { type: 'text', content: { $masked: masked } },
          ],
        },
        { role: 'assistant', tool_calls: [{ function: { name: 'mail', arguments: { to: { $masked: masked } } } }] },
        { role: 'tool', content: { $masked: masked } },
      ],
    })
    expect(conversation?.messages.map(({ parts }) => parts)).toEqual([
      [{ kind: 'masked', masked }],
      [text('Write to'), { kind: 'masked', masked }],
      [{ kind: 'call', name: 'mail', arguments: { to: { $masked: masked } } }],
      [{ kind: 'result', name: undefined, value: { $masked: masked }, failed: false }],
    ])
  })

  test('in flattened attributes', () => {
    const conversation = conversationOf([
      { key: 'llm.input_messages.0.message.role', value: 'user' },
      { key: 'llm.input_messages.0.message.content', masked },
    ])
    expect(conversation?.messages).toEqual([{ role: 'user', parts: [{ kind: 'masked', masked }] }])
  })
})

test.each<Record<string, JsonValue>>([
  {},
  { 'gen_ai.input.messages': '' },
  { 'gen_ai.input.messages': [] },
  { 'llm.input_messages': 'odd' },
  { 'gen_ai.request.model': 'small-1' },
])('a span without messages lacks a conversation: %j', (attributes) => {
  expect(read(attributes)).toBeUndefined()
})

test('anything else that a program sends is shown as it is', () => {
  expect(read({ 'gen_ai.input.messages': '[not json' })?.messages).toEqual([
    { role: 'user', parts: [text('[not json')] },
  ])
  expect(
    read({ 'gen_ai.input.messages': [7, null, { role: 'user', parts: [{ type: 'odd', a: 1 }] }] })?.messages,
  ).toEqual([
    { role: 'user', parts: [{ kind: 'other', value: 7 }] },
    { role: 'user', parts: [] },
    { role: 'user', parts: [{ kind: 'other', value: { type: 'odd', a: 1 } }] },
  ])
  expect(
    read({ 'llm.input_messages.__proto__.message.content': 'x', 'llm.input_messages.0.message.role': 'constructor' }),
  ).toBeUndefined()
  expect(
    read({ 'gen_ai.input.messages': Array.from({ length: 600 }, (_, n) => ({ role: 'user', content: `${n}` })) })
      ?.messages,
  ).toHaveLength(500)
})
