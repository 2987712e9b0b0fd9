import { hash } from 'node:crypto'
import type { JsonValue } from '#lib/json.ts'
import { fewRandomBytes } from '#server/kernel/keys/random.ts'
import type { TenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { spanContext } from '#server/traces/encryption/encrypt-span.ts'
import { quoted } from './quoted.ts'

// Does the work of encryptSpan() and spanLeaf() for thousands of spans: one pass that writes text, without intermediate
// objects. write-span.test.ts checks that both give the same result.

/** `json`: the value as JSON, which must also be its JCS form. With `masked`, the whole value is sensitive. */
export type WrittenAttribute = { key: string; json: string; masked?: { class: string; length: number } }
export type WrittenEvent = { name: string; at: string; attributes: readonly WrittenAttribute[] }

export type WrittenLink = { traceId: string; spanId: string; attributes: readonly WrittenAttribute[] }

/** A span before it is written. Times in microseconds. */
export type SpanToWrite = {
  traceId: string
  spanId: string
  parentSpanId: string | null
  name: string
  kind: string
  status: string
  startedMicros: number
  endedMicros: number
  attributes: readonly WrittenAttribute[]
  events: readonly WrittenEvent[]
  links: readonly WrittenLink[]
  facts: Readonly<Record<string, JsonValue>>
}

/**
 * JSON texts, the leaf's hash with a character for each byte (a third of a Buffer's cost), and salts and values encrypted;
 * `sealed` is null when nothing is sensitive.
 */
export type WrittenSpan = {
  attributes: string
  events: string
  links: string
  facts: string
  leaf: string
  sealed: Buffer | null
}

/** `resource`: SHA-256 in hex of the text of the span's resource. */
export function writeSpan(
  cipher: Pick<TenantCipher, 'encrypt'>,
  span: SpanToWrite,
  resource: string | undefined,
): WrittenSpan {
  const hidden: string[] = []
  const own = writeAttributes(span.attributes, hidden)
  let events = ''
  let eventLeaves = ''
  for (const { name, at, attributes } of span.events) {
    const inner = writeAttributes(attributes, hidden)
    const comma = events === '' ? '' : ','
    events += `${comma}{"name":${quoted(name)},"at":"${at}","attributes":[${inner.stored}]}`
    eventLeaves += `${comma}[${quoted(name)},"${at}",[${inner.leaves}]]`
  }
  let links = ''
  let linkLeaves = ''
  for (const { traceId, spanId, attributes } of span.links) {
    const inner = writeAttributes(attributes, hidden)
    const comma = links === '' ? '' : ','
    links += `${comma}{"traceId":"${traceId}","spanId":"${spanId}","attributes":[${inner.stored}]}`
    linkLeaves += `${comma}["${traceId}","${spanId}",[${inner.leaves}]]`
  }
  const facts = Object.entries(span.facts)
  const parent = span.parentSpanId === null ? 'null' : `"${span.parentSpanId}"`
  const factLeaves = facts.length === 0 ? '' : writeFacts(facts)
  const isFirst = resource === undefined && links === ''
  const more = isFirst ? '' : `,[${linkLeaves}],${resource === undefined ? 'null' : `"${resource}"`}`
  const text = `["agcp.span.v${isFirst ? 1 : 2}","${span.traceId}","${span.spanId}",${parent},${quoted(span.name)},"${span.kind}","${span.status}",${span.startedMicros},${span.endedMicros},[${own.leaves}],[${eventLeaves}],[${factLeaves}]${more}]`
  return {
    attributes: `[${own.stored}]`,
    events: `[${events}]`,
    links: `[${links}]`,
    facts: JSON.stringify(span.facts),
    // RFC 6962's leaf hash: U+0000 is the prefix 0x00.
    leaf: hash('sha256', `\u0000${text}`, 'binary'),
    sealed:
      hidden.length === 0 ? null : cipher.encrypt(`[${hidden.join(',')}]`, spanContext(span.traceId, span.spanId)),
  }
}

/** A resource as it is stored, and its hash in the leaves of its spans. */
export function writeResource(
  cipher: Pick<TenantCipher, 'encrypt'>,
  attributes: readonly WrittenAttribute[],
  context: string,
): { attributes: string; hash: string; sealed: Buffer | null } {
  const hidden: string[] = []
  const { stored, leaves } = writeAttributes(attributes, hidden)
  return {
    attributes: `[${stored}]`,
    hash: hash('sha256', `["agcp.resource.v1",[${leaves}]]`, 'hex'),
    sealed: hidden.length === 0 ? null : cipher.encrypt(`[${hidden.join(',')}]`, context),
  }
}

/** Returns the stored text of attributes, and their text in the leaf. Disclosures are added to `hidden`. */
function writeAttributes(
  attributes: readonly WrittenAttribute[],
  hidden: string[],
): { stored: string; leaves: string } {
  let stored = ''
  let leaves = ''
  for (const { key, json, masked } of attributes) {
    const name = quoted(key)
    const comma = stored === '' ? '' : ','
    if (masked === undefined) {
      stored += `${comma}{"key":${name},"value":${json}}`
      leaves += `${comma}[${name},${json}]`
      continue
    }
    // 128 random bits, and the commitment of encrypt-span.ts.
    const disclosure = `["${fewRandomBytes(16).toString('base64url')}",${json}]`
    const sd = hash('sha256', disclosure, 'base64url')
    hidden.push(disclosure)
    stored += `${comma}{"key":${name},"masked":{"class":${quoted(masked.class)},"length":${masked.length}},"sd":"${sd}"}`
    leaves += `${comma}[${name},{"sd":"${sd}"}]`
  }
  return { stored, leaves }
}

function writeFacts(facts: readonly [string, JsonValue][]): string {
  const sorted = facts.length === 1 ? facts : [...facts].sort(([a], [b]) => (a < b ? -1 : 1))
  return sorted
    .map(([name, value]) => `[${quoted(name)},${typeof value === 'string' ? quoted(value) : JSON.stringify(value)}]`)
    .join(',')
}
