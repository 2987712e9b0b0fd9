import { z } from 'zod'
import { ApiError } from '#lib/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { parseJson, readBody, refuseEncoded } from '#server/kernel/body.ts'
import { wireLimits } from '#server/kernel/limits.ts'
import type { RouteWire } from '#server/kernel/route-wire.ts'

/** Attributes in the JSON format of CloudEvents 1.0. A binary event has them as ce- headers, and any body. */
const CloudEvent = z.looseObject({
  specversion: z.literal('1.0'),
  id: z.string().min(1),
  source: z.string().min(1),
  type: z.string().min(1),
})
export const eventWire: RouteWire = {
  body: { 'application/json': 'fields', 'application/cloudevents+json': CloudEvent },
}

const limit = wireLimits.json.bytes

/**
 * The input of `submit` from a request in one of three shapes: plain JSON, a structured CloudEvent
 * (application/cloudevents+json), or a binary one (ce- headers, data as the body). The extension attributes `executionid`
 * and `input` of a CloudEvent are its correlation, `ttl` its time to live. Throws 400 and 415.
 */
export async function readInputEvent(request: Request): Promise<JsonValue> {
  const key = request.headers.get('idempotency-key')
  const event = await readShape(request)
  // The schema reports a value that is not an object.
  return key === null || !isJsonObject(event) ? event : { ...event, idempotencyKey: key }
}

async function readShape(request: Request): Promise<JsonValue> {
  const type = mediaType(request.headers.get('content-type'))
  refuseEncoded(request)
  if (request.headers.has('ce-specversion'))
    return fromAttributes(attributesOf(request.headers), await readData(request, type))
  if (type === 'application/cloudevents+json') return fromStructured(parseJson(await readBody(request, limit)))
  if (type === 'application/json') return parseJson(await readBody(request, limit))
  throw new ApiError(
    'unsupported_media_type',
    'Send application/json or a CloudEvent, either as structured JSON or with ce- headers.',
  )
}

const mediaType = (header: string | null): string => (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
const isJson = (type: string) => type === 'application/json' || /^[^/]+\/[^/]+\+json$/.test(type)

/** The data of a binary event: JSON unchanged, text as a string, other bytes as `{"$base64": …}`. */
async function readData(request: Request, type: string): Promise<JsonValue> {
  const bytes = await readBody(request, limit)
  if (bytes.length === 0) return null
  if (type === '' || isJson(type)) return parseJson(bytes)
  const buffer = Buffer.from(bytes)
  return type.startsWith('text/') ? buffer.toString() : { $base64: buffer.toString('base64') }
}

/** Attributes are percent-encoded in headers, and may be in double quotes (HTTP binding 1.0.2, section 3.1.3.2). */
function attributesOf(headers: Headers): JsonObject {
  try {
    return Object.fromEntries(
      [...headers]
        .filter(([name]) => name.startsWith('ce-'))
        .map(([name, value]): [string, string] => [name.slice('ce-'.length), decodeURIComponent(unquoted(value))]),
    )
  } catch (cause) {
    throw new ApiError('bad_request', 'The ce- headers must be percent-encoded UTF-8.', { cause })
  }
}

/** The content of a quoted string (RFC 9110, section 5.6.4); any other value unchanged. */
const unquoted = (value: string): string =>
  /^"(?:[^"\\]|\\.)*"$/.test(value) ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value

function fromStructured(event: JsonValue): JsonObject {
  if (!isJsonObject(event)) throw new ApiError('bad_request', 'A structured CloudEvent must be a JSON object.')
  // A member that is null is one that is not there (JSON format 1.0, section 2.2).
  const present = Object.entries(event).filter(([, value]) => value !== null)
  const { data = null, data_base64: bytes, ...attributes }: JsonObject = Object.fromEntries(present)
  if (bytes === undefined) return fromAttributes(attributes, data)
  if (typeof bytes !== 'string') throw new ApiError('bad_request', 'The data_base64 of a CloudEvent must be a string.')
  return fromAttributes(attributes, { $base64: bytes })
}

function fromAttributes(attributes: JsonObject, data: JsonValue): JsonObject {
  if (attributes.specversion !== '1.0')
    throw new ApiError('bad_request', 'The specversion of a CloudEvent must be 1.0.')
  for (const required of ['id', 'source', 'type'])
    if (typeof attributes[required] !== 'string' || attributes[required] === '')
      throw new ApiError('bad_request', `The CloudEvent attribute ${required} is required.`)
  const { id, source, type, subject, executionid, input, ttl } = attributes
  return {
    ...members({ id, source, type, subject, ttl }),
    correlation: members({ executionId: executionid, input }),
    data,
  }
}

const members = (from: Record<string, JsonValue | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(from).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined))
