// Longer than other files: the forms that four dialects give the same message are easier to compare in one place.
import * as t from '#components/texts/trace-detail/en.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { isMasked, type Masked } from '#lib/rules/masked.ts'
import type { Span } from '#lib/schemas/traces.ts'

type Attribute = Span['attributes'][number]

/** A piece of a message. `media` is only named: nothing is loaded from where it says. */
export type Part =
  | { kind: 'text'; text: string }
  | { kind: 'thinking'; text: string }
  | { kind: 'masked'; masked: Masked['$masked'] }
  | { kind: 'erased' }
  | { kind: 'call'; id?: string; name: string; arguments: JsonValue }
  /** `id`: of the call. */
  | { kind: 'result'; id?: string; name: string | undefined; value: JsonValue; failed: boolean }
  | { kind: 'media'; what: string; note: string }
  | { kind: 'other'; value: JsonValue }

export type Role = 'system' | 'user' | 'assistant' | 'tool'
export type Message = { role: Role; parts: Part[] }

/** `keys`: the attributes that it was read from. */
export type Conversation = { messages: Message[]; keys: ReadonlySet<string> }

/** More messages are cut off at the beginning: the last ones are what the model answered to. */
const mostMessages = 500

/** The messages of a span, in the words of any dialect that the product understands. Undefined if the span has none. */
export function conversationOf(attributes: readonly Attribute[]): Conversation | undefined {
  for (const read of readers) {
    const keys = new Set<string>()
    const take: Take = (key) => {
      const found = attributes.find((one) => one.key === key)
      const value = found && shownValue(found)
      if (value !== undefined) keys.add(key)
      return value
    }
    const takeFlat: TakeFlat = (prefix) => {
      const own = attributes.filter(({ key }) => key.startsWith(`${prefix}.`))
      for (const { key } of own) keys.add(key)
      return unflattened(own, prefix)
    }
    const messages = read(take, takeFlat)
    if (messages.length > 0) return { messages: namedResults(messages).slice(-mostMessages), keys }
  }
  return undefined
}

type Take = (key: string) => JsonValue | undefined
type TakeFlat = (prefix: string) => JsonValue[]
/** The messages in one dialect, and none if the span is of another one. */
type Reader = (take: Take, takeFlat: TakeFlat) => Message[]

const genAi: Reader = (take) => {
  const [system, input, output] = ['system_instructions', 'input.messages', 'output.messages'].map((name) =>
    take(`gen_ai.${name}`),
  )
  return [...messagesIn(system, 'system'), ...messagesIn(input, 'user'), ...messagesIn(output, 'assistant')]
}

const openInference: Reader = (_take, takeFlat) => [
  ...takeFlat('llm.input_messages').flatMap((one) => messageFrom(one, 'user')),
  ...takeFlat('llm.output_messages').flatMap((one) => messageFrom(one, 'assistant')),
]

/** Also the names that OpenTelemetry's conventions had before 1.37. */
const traceloop: Reader = (_take, takeFlat) => [
  ...takeFlat('gen_ai.prompt').flatMap((one) => messageFrom(one, 'user')),
  ...takeFlat('gen_ai.completion').flatMap((one) => messageFrom(one, 'assistant')),
]

const aiSdk: Reader = (take) => {
  const messages = take('ai.prompt.messages')
  const prompt = messages === undefined ? parsedJson(take('ai.prompt')) : undefined
  const asked = isJsonObject(prompt) && !isMasked(prompt) ? prompt : undefined
  const answer: JsonObject = {}
  const [text, calls] = [take('ai.response.text'), take('ai.response.toolCalls')]
  if (text !== undefined && text !== '') answer.content = text
  if (calls !== undefined) answer.tool_calls = parsedJson(calls) ?? calls
  return [
    ...messagesIn(messages, 'user'),
    ...(asked === undefined
      ? messagesIn(prompt, 'user')
      : [
          ...messagesIn(asked.system, 'system'),
          ...messagesIn(asked.messages, 'user'),
          ...messagesIn(asked.prompt, 'user'),
        ]),
    ...(Object.keys(answer).length === 0 ? [] : messageFrom(answer, 'assistant')),
  ]
}

/** A span of one tool call: what went in and what came out. */
const toolCall: Reader = (take) => {
  const names = ['gen_ai.tool.name', 'ai.toolCall.name', 'tool.name']
  const pairs = [
    ['gen_ai.tool.call.arguments', 'gen_ai.tool.call.result'],
    ['ai.toolCall.args', 'ai.toolCall.result'],
    ['ai.toolCall.input', 'ai.toolCall.output'],
  ] as const
  for (const [called, returned] of pairs) {
    const [args, result] = [take(called), take(returned)]
    if (args === undefined && result === undefined) continue
    const name = names.map(take).find((one) => typeof one === 'string')
    const tool = typeof name === 'string' ? name : undefined
    return [
      ...(args === undefined ? [] : [{ role: 'assistant' as const, parts: [callPart(tool ?? t.tool, args)] }]),
      ...(result === undefined ? [] : [{ role: 'tool' as const, parts: [resultPart(tool, result, false)] }]),
    ]
  }
  return []
}

const readers: readonly Reader[] = [genAi, openInference, traceloop, aiSdk, toolCall]

/** Results with the names of the tools whose calls they answer. */
function namedResults(messages: readonly Message[]): Message[] {
  const names = new Map<string | undefined, string>()
  for (const { parts } of messages)
    for (const part of parts) if (part.kind === 'call' && part.id !== undefined) names.set(part.id, part.name)
  const named = (part: Part): Part =>
    part.kind === 'result' ? { ...part, name: part.name ?? names.get(part.id) } : part
  return messages.map(({ role, parts }) => ({ role, parts: parts.map(named) }))
}

/** A marker in place of a masked value, the erased text as such, or the value. */
function shownValue({ value, masked, erased }: Attribute): JsonValue | undefined {
  if (erased === true) return { $erased: true }
  return masked === undefined ? value : { $masked: masked }
}

const isErased = (value: JsonValue): boolean => isJsonObject(value) && value.$erased === true

/** The messages of an attribute: a list, a single message, a text, or one of these as JSON. */
function messagesIn(value: JsonValue | undefined, role: Role): Message[] {
  if (value === undefined || value === null || value === '') return []
  const parsed = parsedJson(value) ?? value
  if (!Array.isArray(parsed)) return messageFrom(parsed, role)
  // System instructions are a list of parts, without roles.
  const parts =
    parsed.length > 0 && parsed.every((one) => isJsonObject(one) && one.role === undefined && one.type !== undefined)
  return parts ? [{ role, parts: parsed.flatMap(partFrom) }] : parsed.flatMap((one) => messageFrom(one, role))
}

const roles: Readonly<Record<string, Role>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  model: 'assistant',
  ai: 'assistant',
  tool: 'tool',
  function: 'tool',
}

function messageFrom(value: JsonValue, otherwise: Role): Message[] {
  if (!isJsonObject(value) || isMasked(value) || isErased(value)) return [{ role: otherwise, parts: partFrom(value) }]
  const message = isJsonObject(value.message) ? value.message : value
  const named = typeof message.role === 'string' ? message.role.toLowerCase() : ''
  const role = (Object.hasOwn(roles, named) ? roles[named] : undefined) ?? otherwise
  const content = partsOf(message.parts ?? message.contents ?? message.content ?? message.text)
  // What a tool answered is content in some dialects.
  const answered = role === 'tool' && content.every(({ kind }) => kind === 'text' || kind === 'masked')
  const parts = [
    ...(answered && content.length > 0 ? [answerOf(message, content)] : content),
    ...callsIn(message.tool_calls ?? message.toolCalls),
    ...(isJsonObject(message.function_call) ? callsIn([message.function_call]) : []),
  ]
  return parts.length === 0 ? [] : [{ role, parts }]
}

function answerOf(message: JsonObject, content: readonly Part[]): Part {
  const name = typeof message.name === 'string' ? message.name : undefined
  const [first] = content
  const value: JsonValue =
    first?.kind === 'masked'
      ? { $masked: first.masked }
      : content.map((part) => (part.kind === 'text' ? part.text : '')).join('\n')
  return answering(message.tool_call_id, resultPart(name, value, false))
}

const partsOf = (value: JsonValue | undefined): Part[] =>
  value === undefined || value === null || value === ''
    ? []
    : Array.isArray(value)
      ? value.flatMap(partFrom)
      : partFrom(value)

const media: Readonly<Record<string, string>> = {
  image: t.image,
  image_url: t.image,
  input_image: t.image,
  audio: t.sound,
  input_audio: t.sound,
  file: t.file,
  document: t.file,
  blob: t.file,
  uri: t.file,
}

function partFrom(value: JsonValue): Part[] {
  if (isMasked(value)) return [{ kind: 'masked', masked: value.$masked }]
  if (isErased(value)) return [{ kind: 'erased' }]
  if (typeof value === 'string') return value === '' ? [] : [{ kind: 'text', text: value }]
  if (!isJsonObject(value)) return value === null ? [] : [{ kind: 'other', value }]
  const part = isJsonObject(value.message_content) ? value.message_content : value
  const type = typeof part.type === 'string' ? part.type : ''
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return partsOf(part.content ?? part.text)
    case 'reasoning':
    case 'thinking': {
      const text = part.content ?? part.text ?? part.thinking
      return typeof text === 'string' ? [{ kind: 'thinking', text }] : partsOf(text)
    }
    case 'tool_call':
    case 'tool-call':
    case 'tool_use':
    case 'function':
    case 'function_call':
      return callsIn([part])
    case 'tool_call_response':
    case 'tool-result':
    case 'tool_result': {
      const value = part.response ?? part.result ?? part.output ?? part.content ?? null
      const failed = part.isError === true || part.is_error === true
      const result = resultPart(textIn(part.name ?? part.toolName), value, failed)
      return [answering(part.id ?? part.toolCallId ?? part.tool_use_id, result)]
    }
  }
  if (Object.hasOwn(media, type)) return [mediaPart(part, media[type] ?? t.file)]
  return [{ kind: 'other', value }]
}

/** Its type and its host, as words. Data in the address itself is left out. */
function mediaPart(part: JsonObject, what: string): Part {
  const type = textIn(part.mime_type ?? part.mimeType ?? part.mediaType ?? part.media_type)
  const address = addressIn(part.image_url ?? part.image ?? part.url ?? part.uri ?? part.file)
  const host = address !== undefined && URL.canParse(address) ? new URL(address).host : ''
  const where = host === '' ? undefined : t.atHost({ host })
  return { kind: 'media', what, note: [type, where].filter((one) => one !== undefined).join(', ') }
}

function addressIn(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value
  if (!isJsonObject(value)) return undefined
  return addressIn(value.url ?? value.image)
}

const textIn = (value: JsonValue | undefined): string | undefined => (typeof value === 'string' ? value : undefined)

function callsIn(value: JsonValue | undefined): Part[] {
  const parsed = parsedJson(value) ?? value
  if (parsed === undefined || parsed === null) return []
  if (!Array.isArray(parsed)) return partFrom(parsed)
  return parsed.flatMap((one) => {
    if (!isJsonObject(one) || isMasked(one)) return partFrom(one)
    const call = isJsonObject(one.tool_call) ? one.tool_call : one
    const named = isJsonObject(call.function) ? call.function : call
    const name = textIn(named.name ?? named.toolName)
    const id = textIn(call.id ?? call.toolCallId)
    return [
      {
        ...callPart(name ?? t.tool, named.arguments ?? named.args ?? named.input ?? {}),
        ...(id === undefined ? {} : { id }),
      },
    ]
  })
}

/** A result with the id of the call that it answers. */
const answering = (id: JsonValue | undefined, result: Part): Part =>
  typeof id === 'string' && result.kind === 'result' ? { ...result, id } : result

const callPart = (name: string, args: JsonValue): Extract<Part, { kind: 'call' }> => ({
  kind: 'call',
  name,
  arguments: parsedJson(args) ?? args,
})

const resultPart = (name: string | undefined, value: JsonValue, failed: boolean): Part => ({
  kind: 'result',
  name,
  value: parsedJson(value) ?? value,
  failed,
})

/** The value of a text that is JSON; an object or a list as it is. Undefined for any other text. */
function parsedJson(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== 'string') return typeof value === 'object' && value !== null ? value : undefined
  if (!/^\s*[[{"]/.test(value)) return undefined
  try {
    return JSON.parse(value) as JsonValue
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

type Tree = Map<string, Tree | JsonValue>

/** `llm.input_messages.0.message.role` and its neighbours as a list of messages. */
function unflattened(attributes: readonly Attribute[], prefix: string): JsonValue[] {
  const root: Tree = new Map()
  for (const attribute of attributes) {
    const value = shownValue(attribute)
    const path = attribute.key.slice(prefix.length + 1).split('.')
    const last = path.pop()
    if (value === undefined || last === undefined || path.length > deepest) continue
    let at = root
    for (const name of path) {
      const inner = at.get(name)
      const next: Tree = inner instanceof Map ? inner : new Map()
      at.set(name, next)
      at = next
    }
    at.set(last, value)
  }
  const list = plain(root)
  return Array.isArray(list)
    ? list
    : list === undefined || (isJsonObject(list) && Object.keys(list).length === 0)
      ? []
      : [list]
}

/** Names in a key. */
const deepest = 20

/** A tree whose names are numbers is a list, in their order. */
function plain(tree: Tree): JsonValue {
  const entries = [...tree].map(([name, value]): [string, JsonValue] => [
    name,
    value instanceof Map ? plain(value) : value,
  ])
  if (entries.length > 0 && entries.every(([name]) => /^\d+$/.test(name)))
    return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, value]) => value)
  return Object.fromEntries(entries)
}
