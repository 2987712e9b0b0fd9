import { BinaryWriter } from '@bufbuild/protobuf/wire'

export type Encoding = 'protobuf' | 'json'
/** 64-bit numbers are text in JSON. */
type PartialSuccess = { rejectedSpans: string; errorMessage: string }

/** Returns an ExportTraceServiceResponse in the encoding of the request, with partial_success only if spans were refused. */
export function answer(encoding: Encoding, partialSuccess: PartialSuccess | undefined, requestId: string): Response {
  const headers = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
    'content-type': encoding === 'json' ? 'application/json' : 'application/x-protobuf',
  }
  if (encoding === 'json')
    return new Response(JSON.stringify(partialSuccess === undefined ? {} : { partialSuccess }), { headers })
  const response = new BinaryWriter()
  if (partialSuccess !== undefined) {
    const { rejectedSpans, errorMessage } = partialSuccess
    response.tag(1, 2).fork().tag(1, 0).int64(rejectedSpans).tag(2, 2).string(errorMessage).join()
  }
  return new Response(new Uint8Array(response.finish()), { headers })
}
