import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { ApiError } from '#lib/errors.ts'
import { type Authorized, authorize } from '#server/kernel/auth/authorize.ts'
import { readBody } from '#server/kernel/body.ts'
import { perform } from '#server/kernel/operation.ts'
import { authenticated, declare, type RouteHandler } from '#server/kernel/rest.ts'
import { enter, type Place } from './admission.ts'
import { countTelemetry } from './counters.ts'
import { decodeJson } from './decode-json.ts'
import { decodeProtobuf } from './decode-protobuf.ts'
import { exportSpans } from './export.ts'
import { type Decoded, OtlpError, OtlpTooMuch } from './otlp.ts'
import { answer, type Encoding } from './respond.ts'

/** After decompression. */
const maxBytes = 16 * 1024 * 1024
/** The assumed size of a request until it is known. */
const unknownBytes = 64 * 1024

const name = 'telemetry.export'

/** OTLP/HTTP: 200 after the commit, with the number of refused spans; 400 and 413 are permanent, 429 and 503 temporary. */
export const receiveTraces: RouteHandler = declare(
  { name, operation: exportSpans },
  authenticated(async (caller, request) => {
    const authorized = authorize(caller, exportSpans)
    try {
      return await receive(authorized, request)
    } catch (error) {
      const busy = error instanceof ApiError && error.code === 'rate_limited'
      countTelemetry(caller.tenant.id, busy ? { overloaded: 1 } : { refused: 1 })
      throw error
    }
  }),
)

async function receive(authorized: Authorized<typeof exportSpans>, request: Request): Promise<Response> {
  const { caller } = authorized
  const encoding = encodingOf(request)
  const announced = Number(request.headers.get('content-length') ?? 0)
  const place = await placeFor(request, Math.min(announced || unknownBytes, maxBytes))
  try {
    const recorded = await perform(authorized, await read(request, encoding, place), { name })
    const { spans: added, repeated, partialSuccess } = recorded
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0)
    countTelemetry(caller.tenant.id, { committed: 1, added, repeated, rejected })
    return answer(encoding, partialSuccess, caller.requestId)
  } catch (error) {
    if (error instanceof OtlpTooMuch) throw new ApiError('payload_too_large', error.message)
    if (error instanceof OtlpError) throw new ApiError('bad_request', error.message)
    throw error
  } finally {
    place.leave()
  }
}

function encodingOf(request: Request): Encoding {
  const type = (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type === 'application/x-protobuf') return 'protobuf'
  if (type === 'application/json') return 'json'
  throw new ApiError('unsupported_media_type', 'Send OTLP as application/x-protobuf or application/json.')
}

async function read(request: Request, encoding: Encoding, place: Place): Promise<Decoded> {
  await refuseTooLarge(request)
  const sent = await readBody(request, maxBytes)
  place.grow(sent.byteLength)
  const bytes = await decompressed(sent, request.headers.get('content-encoding'))
  place.grow(bytes.byteLength)
  await place.turn()
  return encoding === 'protobuf' ? decodeProtobuf(bytes) : decodeJson(bytes)
}

/** Throws 429 when the queue is full. */
async function placeFor(request: Request, bytes: number): Promise<Place> {
  try {
    return enter(bytes)
  } catch (error) {
    await discard(request)
    throw error
  }
}

/** Throws for a body that is announced as too large. */
async function refuseTooLarge(request: Request): Promise<void> {
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced <= maxBytes) return
  if (announced <= 4 * maxBytes) await discard(request)
  throw new OtlpTooMuch(`The body is larger than ${maxBytes} bytes.`)
}

/** Reads and discards the rest of the body up to a limit, because an exporter reads the response only after it has written. */
async function discard(request: Request): Promise<void> {
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > 4 * maxBytes) return
  }
}

const unzip = promisify(gunzip)

async function decompressed(bytes: Uint8Array, coding: string | null): Promise<Uint8Array> {
  if (coding === null || coding === 'identity') return bytes
  if (coding !== 'gzip')
    throw new ApiError('unsupported_media_type', 'Compress the body with gzip, or send it uncompressed.')
  try {
    return await unzip(bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    // The library stops at the limit, so a gzip bomb is not expanded.
    if (Reflect.get(Object(error), 'code') === 'ERR_BUFFER_TOO_LARGE')
      throw new OtlpTooMuch(`The decompressed body is larger than ${maxBytes} bytes.`)
    throw new OtlpError('The body is not valid gzip.')
  }
}
