import { BinaryWriter } from '@bufbuild/protobuf/wire'
import type { ErrorAnswer } from '#server/kernel/errors.ts'

export type Encoding = 'protobuf' | 'json'
/** How many items were refused, as text because of 64 bits, under the name that the signal's response has for it. */
export type PartialSuccess = { rejected: string; errorMessage: string }
export type RejectedName = 'rejectedSpans' | 'rejectedLogRecords' | 'rejectedDataPoints'

const typeOf = (encoding: Encoding): string => (encoding === 'json' ? 'application/json' : 'application/x-protobuf')

/**
 * Returns an Export…ServiceResponse in the encoding of the request, with partial_success only if something was refused. The
 * responses of all signals have the same fields in protobuf.
 */
export function answer(
  encoding: Encoding,
  name: RejectedName,
  partialSuccess: PartialSuccess | undefined,
  requestId: string,
): Response {
  const headers = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
    'content-type': typeOf(encoding),
  }
  if (encoding === 'json') {
    const { rejected, errorMessage = '' } = partialSuccess ?? {}
    const body = rejected === undefined ? {} : { partialSuccess: { [name]: rejected, errorMessage } }
    return new Response(JSON.stringify(body), { headers })
  }
  const response = new BinaryWriter()
  if (partialSuccess !== undefined) {
    const { rejected, errorMessage } = partialSuccess
    response.tag(1, 2).fork().tag(1, 0).int64(rejected).tag(2, 2).string(errorMessage).join()
  }
  return new Response(new Uint8Array(response.finish()), { headers })
}

/**
 * Returns the body of a refusal: a Status (google/rpc/status.proto) in the encoding of the request. OTLP does not use its code, and JSON
 * has other members too, which readers of a Status ignore: those of the API's errors, with their code as `reason`, because the code of a
 * Status is a number. Selecting a tenant without a membership has the same body as in the rest of the API.
 */
export function refusalBody(encoding: Encoding, answer: ErrorAnswer) {
  const { code, message, requestId, retryable, issues, details } = answer
  const type = typeOf(encoding)
  if (encoding === 'protobuf')
    return { type, body: new Uint8Array(new BinaryWriter().tag(2, 2).string(message).finish()) }
  const body =
    code === 'tenant_access_denied'
      ? { error: message }
      : { ...details, message, error: message, reason: code, requestId, retryable, issues }
  return { type, body: JSON.stringify(body) }
}
