import { isUtf8 } from 'node:buffer'
import { z } from 'zod'
import type { JsonValue } from '#lib/json.ts'
import { Rests } from '#server/kernel/pace.ts'
import { JsonReader, JsonTextError } from './json-reader.ts'
import {
  Allowance,
  addLink,
  checkSpan,
  Decoded,
  elementOf,
  type KeyValue,
  maxDepth,
  numeric,
  OtlpError,
  type OtlpEvent,
  type OtlpLink,
  type OtlpSpan,
  Rejections,
  type Scoped,
  SpanRefused,
  storable,
  traceStateKey,
  wrong,
} from './otlp.ts'

// OTLP/JSON is not the JSON mapping of protobuf: ids are hex in any case, enumerations are integers, 64-bit integers are
// text or numbers, unknown fields are ignored (opentelemetry-proto, docs/specification.md).

/** A signal of OTLP: the names in its request, and how one of its items is read. Requests have the same structure otherwise. */
export type JsonItems = {
  groups: string
  scopes: string
  items: string
  /** Throws SpanRefused for an item that can't be accepted, OtlpError for one of another form. */
  decode(from: Fields, allowance: Allowance): OtlpSpan
}

const spanItems: JsonItems = {
  groups: 'resourceSpans',
  scopes: 'scopeSpans',
  items: 'spans',
  decode: (from, allowance) => checkSpan(spanOf(from, allowance)),
}

/** Throws OtlpError for an invalid message, OtlpTooMuch for one beyond the limits. A large one is decoded in pieces. */
export async function decodeJson(
  bytes: Uint8Array,
  allowance = new Allowance(),
  items: JsonItems = spanItems,
): Promise<Decoded> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const marked = buffer.subarray(0, 3).equals(byteOrderMark) ? buffer.subarray(3) : buffer
  if (!isUtf8(marked)) throw notJson()
  const json = new JsonReader(marked)
  const request: Request = { json, items, allowance, rests: new Rests(), spans: [], rejected: new Rejections() }
  try {
    await readRequest(request)
  } catch (error) {
    if (error instanceof JsonTextError) throw notJson()
    throw error
  }
  return new Decoded(request.spans, request.rejected)
}

type Request = {
  json: JsonReader
  items: JsonItems
  allowance: Allowance
  rests: Rests
  spans: Scoped[]
  rejected: Rejections
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])
const notJson = () => new OtlpError('The body is not valid JSON.')

async function readRequest(request: Request): Promise<void> {
  const { json, items, allowance } = request
  if (!json.object('the body')) throw wrong('the body must be an object')
  await eachMember(request, async (name) => {
    if (name !== items.groups) return void json.value()
    await eachElement(request, name, async () => {
      allowance.group()
      await resourceSpans(request)
    })
  })
  json.end()
}

/** A resource may follow its scopes, and a scope its spans: both are filled in when they are read. */
async function resourceSpans(request: Request): Promise<void> {
  const { json, items, allowance } = request
  const resource: KeyValue[] = []
  enterElement(json, items.groups)
  await eachMember(request, async (name) => {
    if (name === 'resource') resource.push(...keyValues(present(json.value(), name), 'attributes', allowance, 0))
    else if (name === items.scopes)
      await eachElement(request, name, async () => {
        allowance.group()
        await scopeSpans(request, resource)
      })
    else json.value()
  })
}

async function scopeSpans(request: Request, resource: KeyValue[]): Promise<void> {
  const { json, items, allowance, rests, spans, rejected } = request
  const first = spans.length
  let scope = ''
  enterElement(json, items.scopes)
  for (let name = json.member(true); name !== undefined; name = json.member(false)) {
    if (rests.due(json.at)) await rests.rest()
    if (name === 'scope') scope = text(present(json.value(), name), 'name')
    else if (name !== items.items) json.value()
    else if (json.list(name))
      for (let more = json.element(true); more; more = json.element(false)) {
        allowance.span()
        try {
          spans.push({ resource, scope, span: items.decode(record(json.value(), elementOf(name)), allowance) })
        } catch (error) {
          if (!(error instanceof SpanRefused)) throw error
          rejected.add(error.message)
        }
        if (rests.due(json.at)) await rests.rest()
      }
  }
  for (let index = first; index < spans.length; index++) {
    const scoped = spans[index]
    if (scoped !== undefined) scoped.scope = scope
  }
}

async function eachMember({ json, rests }: Request, read: (name: string) => Promise<void>): Promise<void> {
  for (let name = json.member(true); name !== undefined; name = json.member(false)) {
    await read(name)
    if (rests.due(json.at)) await rests.rest()
  }
}

async function eachElement({ json, rests }: Request, name: string, read: () => Promise<void>): Promise<void> {
  if (!json.list(name)) return
  for (let more = json.element(true); more; more = json.element(false)) {
    await read()
    if (rests.due(json.at)) await rests.rest()
  }
}

function enterElement(json: JsonReader, list: string): void {
  if (!json.object(elementOf(list))) throw wrong(`${elementOf(list)} must be an object`)
}

const present = (value: JsonValue, name: string): Fields => (value === null ? {} : record(value, name))

export type Fields = Record<string, unknown>

const Plain = z.custom<Fields>((value) => typeof value === 'object' && value !== null && !Array.isArray(value))

function record(value: unknown, name: string): Fields {
  const found = Plain.safeParse(value)
  if (!found.success) throw wrong(`${name} must be an object`)
  return found.data
}

/** Reads own members only: an inherited `constructor` was not sent. */
export const field = (from: Fields, name: string): unknown => (Object.hasOwn(from, name) ? from[name] : undefined)

function optional(from: Fields, name: string): Fields {
  const value = field(from, name)
  return value === undefined || value === null ? {} : record(value, name)
}

function list(from: Fields, name: string): unknown[] {
  const value = field(from, name)
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw wrong(`${name} must be a list`)
  return value
}

export function text(from: Fields, name: string): string {
  const value = field(from, name)
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') throw wrong(`${name} must be a string`)
  return storable(value)
}

function spanOf(from: Fields, allowance: Allowance): OtlpSpan {
  const status = optional(from, 'status')
  const code = field(status, 'code') ?? 0
  if (typeof code !== 'number') throw wrong('status.code must be a number')
  const span: OtlpSpan = {
    traceId: text(from, 'traceId').toLowerCase(),
    spanId: text(from, 'spanId').toLowerCase(),
    parentSpanId: text(from, 'parentSpanId').toLowerCase() || null,
    name: text(from, 'name'),
    startMicros: micros(from, 'startTimeUnixNano'),
    endMicros: micros(from, 'endTimeUnixNano'),
    attributes: keyValues(from, 'attributes', allowance, 0),
    events: list(from, 'events').map((raw): OtlpEvent => {
      allowance.value()
      const event = record(raw, elementOf('events'))
      return {
        name: text(event, 'name'),
        micros: micros(event, 'timeUnixNano'),
        attributes: keyValues(event, 'attributes', allowance, 0),
      }
    }),
    status: code,
    statusMessage: text(status, 'message'),
  }
  for (const raw of list(from, 'links')) addLink(span, linkOf(record(raw, elementOf('links')), allowance))
  return span
}

function linkOf(from: Fields, allowance: Allowance): OtlpLink {
  allowance.value()
  const attributes = keyValues(from, 'attributes', allowance, 0)
  const state = text(from, 'traceState')
  if (state !== '') attributes.push({ key: traceStateKey, value: state })
  return { traceId: text(from, 'traceId').toLowerCase(), spanId: text(from, 'spanId').toLowerCase(), attributes }
}

export function keyValues(from: Fields, name: string, allowance: Allowance, depth: number): KeyValue[] {
  return list(from, name).map((raw) => {
    allowance.value()
    const pair = record(raw, elementOf(name))
    return { key: text(pair, 'key'), value: anyValue(field(pair, 'value'), allowance, depth) }
  })
}

export function anyValue(raw: unknown, allowance: Allowance, depth: number): JsonValue {
  if (raw === undefined || raw === null) return null
  if (depth > maxDepth) throw new SpanRefused(`a value is nested more than ${maxDepth} levels deep`)
  allowance.value()
  const value = record(raw, 'a value')
  if (Object.hasOwn(value, 'stringValue')) return text(value, 'stringValue')
  if (Object.hasOwn(value, 'boolValue')) return value.boolValue === true
  if (Object.hasOwn(value, 'intValue')) return integer(value.intValue)
  if (Object.hasOwn(value, 'doubleValue')) return double(value.doubleValue)
  if (Object.hasOwn(value, 'arrayValue'))
    return list(optional(value, 'arrayValue'), 'values').map((inner) => anyValue(inner, allowance, depth + 1))
  if (Object.hasOwn(value, 'kvlistValue'))
    return keyValues(optional(value, 'kvlistValue'), 'values', allowance, depth + 1)
  if (Object.hasOwn(value, 'bytesValue')) return text(value, 'bytesValue')
  return null
}

function integer(value: unknown): number | string {
  if (typeof value !== 'number' && !(typeof value === 'string' && /^-?\d{1,20}$/.test(value)))
    throw wrong('intValue must be an integer')
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

function double(value: unknown): number | string {
  if (typeof value === 'number') return numeric(value)
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return value
  throw wrong('doubleValue must be a number')
}

/** Converts nanoseconds, as text or number, to microseconds. */
export function micros(from: Fields, name: string): number {
  const value = field(from, name)
  if (value === undefined || value === null) return 0
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return Number(value.slice(0, -3))
  if (typeof value === 'number' && value >= 0) return Math.floor(value / 1000)
  throw wrong(`${name} must be a number of nanoseconds`)
}
