import { isUtf8 } from 'node:buffer'
import { Rests } from '#server/kernel/pace.ts'
import { JsonReader, JsonTextError } from '../json-reader.ts'
import { Allowance, elementOf, OtlpError } from '../otlp.ts'
import { bytesField, Wire, WireError } from '../wire.ts'
import { CountedPoints } from './refuse-metrics.ts'

// opentelemetry/proto/metrics/v1/metrics.proto: only the nesting is read, down to the data points.

const field1 = bytesField(1)
const field2 = bytesField(2)
/** Gauge, sum, histogram, exponential histogram and summary: each is a message with its data points in field 1. */
const data = new Set([5, 7, 9, 10, 11].map(bytesField))

type Levels = readonly { tags: ReadonlySet<number>; count(allowance: Allowance): void }[]

const group = (allowance: Allowance) => allowance.group()
const nothing = () => undefined
const levels: Levels = [
  { tags: new Set([field1]), count: group },
  { tags: new Set([field2]), count: group },
  { tags: new Set([field2]), count: (allowance) => allowance.value() },
  { tags: data, count: nothing },
  { tags: new Set([field1]), count: (allowance) => allowance.value() },
]

/** Throws OtlpError for an invalid message, OtlpTooMuch for one beyond the limits of telemetry. */
export async function countProtobufPoints(bytes: Uint8Array, allowance = new Allowance()): Promise<CountedPoints> {
  const wire = new Wire(bytes)
  const rests = new Rests()
  let count = 0
  const walk = async (depth: number, end: number): Promise<void> => {
    const level = levels[depth]
    while (wire.at < end) {
      if (rests.due(wire.at)) await rests.rest()
      const tag = wire.tag(end)
      if (level === undefined || !level.tags.has(tag)) {
        wire.skip(tag, end)
        continue
      }
      level.count(allowance)
      const stop = wire.span(end)
      if (depth === levels.length - 1) {
        count += 1
        wire.at = stop
      } else await walk(depth + 1, stop)
    }
  }
  try {
    await walk(0, wire.length)
  } catch (cause) {
    if (cause instanceof WireError) throw new OtlpError('Not a valid ExportMetricsServiceRequest.', { cause })
    throw cause
  }
  return new CountedPoints(count)
}

const kinds = ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary']
const notJson = () => new OtlpError('The body is not valid JSON.')

/** The same for JSON. */
export async function countJsonPoints(bytes: Uint8Array, allowance = new Allowance()): Promise<CountedPoints> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!isUtf8(buffer)) throw notJson()
  const json = new JsonReader(buffer)
  const rests = new Rests()
  let count = 0
  const members = async (of: string, read: (name: string) => Promise<void>) => {
    if (!json.object(of)) return
    for (let name = json.member(true); name !== undefined; name = json.member(false)) {
      await read(name)
      if (rests.due(json.at)) await rests.rest()
    }
  }
  const elements = async (of: string, counted: () => void, read: (element: string) => Promise<void>) => {
    if (!json.list(of)) return
    for (let more = json.element(true); more; more = json.element(false)) {
      counted()
      await read(elementOf(of))
      if (rests.due(json.at)) await rests.rest()
    }
  }
  const skip = async () => void json.value()
  const point = () => {
    allowance.value()
    count += 1
  }
  const only = (wanted: string, counted: () => void, read: (element: string) => Promise<void>) => (name: string) =>
    name === wanted ? elements(name, counted, read) : skip()
  const points = (of: string) => members(of, only('dataPoints', point, skip))
  const metric = (of: string) => members(of, (name) => (kinds.includes(name) ? points(name) : skip()))
  const scope = (of: string) =>
    members(
      of,
      only('metrics', () => allowance.value(), metric),
    )
  const resource = (of: string) =>
    members(
      of,
      only('scopeMetrics', () => allowance.group(), scope),
    )
  try {
    await members(
      'the body',
      only('resourceMetrics', () => allowance.group(), resource),
    )
    json.end()
  } catch (error) {
    if (error instanceof JsonTextError) throw notJson()
    throw error
  }
  return new CountedPoints(count)
}
