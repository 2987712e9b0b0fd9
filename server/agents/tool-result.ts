import { canonicalJson } from '#lib/jcs.ts'
import { isJsonObject, type JsonValue } from '#lib/json.ts'

/** `ok` is false when the call failed; `output` is then the message of the tool or of Countersign. */
export type ToolResult = {
  ok: boolean
  output: JsonValue
  text: string
  /** What the tool said, as it said it, if `output` does not hold all of it; absent for a failed call and for very large content. */
  content?: JsonValue[]
  /** The reason code when the tool must not be called and was not. */
  refused?: 'tool_drift'
}

const maxBytes = 1024 * 1024
const maxDepth = 100

export const failedCall = (text: string): ToolResult => ({ ok: false, output: text, text })
export const refusedCall = (
  refused: NonNullable<ToolResult['refused']>,
  text: string,
  output: JsonValue,
): ToolResult => ({ ok: false, output, text, refused })

/**
 * A tool's answer in a form that can be stored: PostgreSQL rejects U+0000 and lone surrogates, so both become U+FFFD. An answer
 * that is too large or too deep is a failed call, although the tool has run.
 */
export function toolResult(answer: { content?: unknown; structuredContent?: unknown; isError?: boolean }): ToolResult {
  const parts: unknown[] = Array.isArray(answer.content) ? answer.content : []
  const text = clean(parts.map(partText).join('\n'))
  const structured = answer.structuredContent
  const output = isJsonObject(structured) ? cleanValue(structured, 0) : text
  if (output === undefined) return failedCall(`The tool’s answer is nested more than ${maxDepth} levels deep.`)
  if (Buffer.byteLength(text) > maxBytes || Buffer.byteLength(JSON.stringify(output)) > maxBytes)
    return failedCall(`The tool’s answer is larger than ${maxBytes} bytes.`)
  const content = answer.isError === true ? undefined : contentBeyond(parts, output)
  return { ok: answer.isError !== true, output, text, ...(content === undefined ? {} : { content }) }
}

/** The parts of an answer that `output` does not already say: images, links, and texts that come with structured content. */
function contentBeyond(parts: unknown[], output: JsonValue): JsonValue[] | undefined {
  const cleaned = cleanValue(parts.filter(isJsonObject), 0)
  if (!Array.isArray(cleaned) || cleaned.length === 0) return undefined
  const said: JsonValue[] = [{ type: 'text', text: isJsonObject(output) ? JSON.stringify(output) : output }]
  if (canonicalJson(cleaned) === canonicalJson(said)) return undefined
  return Buffer.byteLength(JSON.stringify(cleaned)) > maxBytes ? undefined : cleaned
}

function partText(part: unknown): string {
  if (!isJsonObject(part)) return ''
  return part.type === 'text' && typeof part.text === 'string' ? part.text : `[${String(part.type)}]`
}

const clean = (text: string): string => text.replaceAll('\u0000', '\ufffd').toWellFormed()

/** Undefined when it is nested too deeply. */
function cleanValue(value: JsonValue, depth: number): JsonValue | undefined {
  if (typeof value === 'string') return clean(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === maxDepth) return undefined
  if (Array.isArray(value)) return whole(value.map((inner) => cleanValue(inner, depth + 1)))
  const values = whole(Object.values(value).map((inner) => cleanValue(inner, depth + 1)))
  // fromEntries defines own properties, so __proto__ is an ordinary key.
  return values && Object.fromEntries(Object.keys(value).map((key, index) => [clean(key), values[index] ?? null]))
}

const whole = (values: (JsonValue | undefined)[]): JsonValue[] | undefined =>
  values.every((value) => value !== undefined) ? values : undefined
