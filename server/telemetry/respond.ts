import { BinaryWriter } from '@bufbuild/protobuf/wire'

export type Encoding = 'protobuf' | 'json'
/** How many items were refused, as text because of 64 bits, under the name that the signal's response has for it. */
export type PartialSuccess = { rejected: string; errorMessage: string }
export type RejectedName = 'rejectedSpans' | 'rejectedLogRecords' | 'rejectedDataPoints'

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
    'content-type': encoding === 'json' ? 'application/json' : 'application/x-protobuf',
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
