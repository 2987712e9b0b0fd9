import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log } from '#server/kernel/log.ts'
import { counter, histogram } from '#server/kernel/observe/meters.ts'
import { noting, type RequestNote } from '#server/kernel/observe/request-note.ts'
import { beginRoot, type OpenSpan, spansAgent } from '#server/kernel/observe/spans.ts'

/** Who answers a request. `health` is logged only at the level debug: supervisors ask every few seconds. */
export type RequestKind = 'api' | 'realm' | 'page' | 'health' | 'metrics'

const requests = counter('countersign_http_requests_total', 'Requests by what was called and class of status.')
const duration = histogram(
  'countersign_http_request_duration_seconds',
  'Time from the first byte of a request to the last byte of its response. Streams are left out.',
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
)

/**
 * Serves a request, then counts it and writes one line about it. The line leaves out the address, headers and values of the request, which may
 * contain secrets and personal data: the operation says what was called.
 */
export function logged<T>(kind: RequestKind, req: IncomingMessage, res: ServerResponse, log: Log, work: () => T): T {
  const begun = performance.now()
  const note: RequestNote = { operations: [] }
  const span = kind === 'health' || req.headers['user-agent'] === spansAgent ? undefined : beginRoot('server')
  res.once('close', () => {
    const seconds = (performance.now() - begun) / 1000
    const status = res.headersSent ? res.statusCode : 0
    // A batch is one request: its first operation counts.
    const operation = note.operations[0] ?? kind
    requests.add({ operation, status: status === 0 ? 'none' : `${Math.floor(status / 100)}xx` })
    if (!isStream(res)) duration.observe(seconds, { operation })
    const { requestId = idOf(res), tenantId, operations } = note
    const line = { kind, method: req.method, status, ms: Math.round(seconds * 1000), requestId, tenantId }
    const complete = res.writableFinished ? {} : { cut: true }
    log[kind === 'health' || kind === 'metrics' ? 'debug' : 'info']({ ...line, operations, ...complete }, 'request')
    endSpan(span, kind, req, res, note)
  })
  const run = () => noting(note, work)
  return span === undefined ? run() : span.within(run)
}

function endSpan(
  span: OpenSpan | undefined,
  kind: RequestKind,
  req: IncomingMessage,
  res: ServerResponse,
  { operations, requestId = idOf(res) }: RequestNote,
): void {
  const status = res.headersSent ? res.statusCode : 0
  const attributes = {
    'http.request.method': req.method ?? '',
    ...(status === 0 ? {} : { 'http.response.status_code': status }),
    'countersign.kind': kind,
    ...(operations.length === 0 ? {} : { 'countersign.operations': operations }),
    ...(requestId === undefined ? {} : { 'countersign.request.id': requestId }),
  }
  span?.end(operations[0] ?? kind, attributes, status >= 500 || !res.writableFinished ? 'failed' : 'ok')
}

const isStream = (res: ServerResponse): boolean => String(res.getHeader('content-type')).startsWith('text/event-stream')

function idOf(res: ServerResponse): string | undefined {
  const id = res.getHeader('x-request-id')
  return typeof id === 'string' ? id : undefined
}
