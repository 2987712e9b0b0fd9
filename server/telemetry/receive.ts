import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { ApiError } from '#lib/errors.ts'
import { type Authorized, authorize } from '#server/kernel/auth/authorize.ts'
import { chunksOf, readBody } from '#server/kernel/body.ts'
import { wireLimits } from '#server/kernel/limits.ts'
import { type Operation, perform } from '#server/kernel/operation.ts'
import { authenticated, declare, errorResponse, type RouteHandler } from '#server/kernel/rest.ts'
import type { RouteWire } from '#server/kernel/route-wire.ts'
import { enter, type Place } from './admission.ts'
import { countTelemetry } from './counters.ts'
import { decodeJson } from './decode-json.ts'
import { decodeProtobuf } from './decode-protobuf.ts'
import { exportSpans, spansWire } from './export.ts'
import { decodeJsonLogs, decodeProtobufLogs } from './logs/decode-logs.ts'
import { exportLogs, logsWire } from './logs/export-logs.ts'
import { countJsonPoints, countProtobufPoints } from './metrics/count-points.ts'
import { metricsWire, refuseMetrics } from './metrics/refuse-metrics.ts'
import { OtlpError, OtlpTooMuch } from './otlp.ts'
import { answer, type Encoding, type PartialSuccess, type RejectedName, refusalBody } from './respond.ts'

const maxBytes = wireLimits.telemetry.bytes
/** What a request counts for until it is known. */
const unknownBytes = 64 * 1024

/** A signal of OTLP over HTTP. */
export type Signal<D, R> = {
  /** The operation's name. */
  name: string
  operation: Operation<D, R>
  wire: RouteWire
  rejectedName: RejectedName
  protobuf(bytes: Uint8Array): Promise<D>
  json(bytes: Uint8Array): Promise<D>
  /** What the operation's output says about refused items and, for the counters, about others. */
  outcome(output: R): { partialSuccess: PartialSuccess | undefined; added: number; repeated: number }
}

/** OTLP/HTTP: 200 after the commit, with the number of refused items; 400 and 413 are permanent, 429 and 503 temporary. */
export function receiver<D, R>(signal: Signal<D, R>): RouteHandler {
  const { name, operation, wire } = signal
  const handler = authenticated(
    async (caller, request) => {
      const authorized = authorize<Operation<D, R>>(caller, operation)
      try {
        return await receive(signal, authorized, request)
      } catch (error) {
        const busy = error instanceof ApiError && error.code === 'rate_limited'
        countTelemetry(caller.tenant.id, busy ? { overloaded: 1 } : { refused: 1 })
        throw error
      }
    },
    {
      // A request in an unknown encoding gets JSON.
      refused: (error, requestId, request) =>
        errorResponse(error, requestId, (answer) => refusalBody(encodingNamed(request) ?? 'json', answer)),
    },
  )
  return declare({ name, operation, wire }, handler)
}

export const receiveTraces = receiver({
  name: 'telemetry.export',
  operation: exportSpans,
  wire: spansWire,
  rejectedName: 'rejectedSpans',
  protobuf: decodeProtobuf,
  json: decodeJson,
  outcome: ({ spans: added, repeated, partialSuccess }) => ({
    added,
    repeated,
    partialSuccess: partialSuccess && { ...partialSuccess, rejected: partialSuccess.rejectedSpans },
  }),
})

export const receiveLogs = receiver({
  name: 'telemetry.exportLogs',
  operation: exportLogs,
  wire: logsWire,
  rejectedName: 'rejectedLogRecords',
  protobuf: decodeProtobufLogs,
  json: decodeJsonLogs,
  outcome: ({ spans: added, repeated, partialSuccess }) => ({
    added,
    repeated,
    partialSuccess: partialSuccess && { ...partialSuccess, rejected: partialSuccess.rejectedLogRecords },
  }),
})

export const receiveMetrics = receiver({
  name: 'telemetry.refuseMetrics',
  operation: refuseMetrics,
  wire: metricsWire,
  rejectedName: 'rejectedDataPoints',
  protobuf: countProtobufPoints,
  json: countJsonPoints,
  outcome: ({ partialSuccess }) => ({
    added: 0,
    repeated: 0,
    partialSuccess: partialSuccess && { ...partialSuccess, rejected: partialSuccess.rejectedDataPoints },
  }),
})

async function receive<D, R>(
  signal: Signal<D, R>,
  authorized: Authorized<Operation<D, R>>,
  request: Request,
): Promise<Response> {
  const { caller } = authorized
  const encoding = encodingNamed(request)
  if (encoding === undefined)
    throw new ApiError('unsupported_media_type', 'Send OTLP as application/x-protobuf or application/json.')
  const announced = Number(request.headers.get('content-length') ?? 0)
  const place = await placeFor(request, Math.min(announced || unknownBytes, maxBytes))
  try {
    const bytes = await read(request, place)
    const decoded = await (encoding === 'protobuf' ? signal.protobuf(bytes) : signal.json(bytes))
    const { partialSuccess, ...counts } = signal.outcome(await perform(authorized, decoded, { name: signal.name }))
    countTelemetry(caller.tenant.id, { committed: 1, ...counts, rejected: Number(partialSuccess?.rejected ?? 0) })
    return answer(encoding, signal.rejectedName, partialSuccess, caller.requestId)
  } catch (error) {
    if (error instanceof OtlpTooMuch) throw new ApiError('payload_too_large', error.message)
    if (error instanceof OtlpError) throw new ApiError('bad_request', error.message)
    throw error
  } finally {
    place.leave()
  }
}

function encodingNamed(request: Request): Encoding | undefined {
  const type = (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type === 'application/x-protobuf') return 'protobuf'
  return type === 'application/json' ? 'json' : undefined
}

/** Returns the decompressed body, once it is the request's turn to be decoded. */
async function read(request: Request, place: Place): Promise<Uint8Array> {
  await refuseTooLarge(request)
  const sent = await readBody(request, maxBytes)
  place.grow(sent.byteLength)
  const bytes = await decompressed(sent, request.headers.get('content-encoding'))
  place.grow(bytes.byteLength)
  await place.turn()
  return bytes
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
  for await (const chunk of chunksOf(request)) {
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
