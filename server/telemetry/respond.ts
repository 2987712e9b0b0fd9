import { BinaryWriter } from '@bufbuild/protobuf/wire'
import type { Rejections } from './otlp.ts'

export type Encoding = 'protobuf' | 'json'

/** ExportTraceServiceResponse in the encoding of the request; partial_success only when something was refused. */
export function answer(encoding: Encoding, { count, reasons }: Rejections, requestId: string): Response {
  const headers = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
    'content-type': encoding === 'json' ? 'application/json' : 'application/x-protobuf',
  }
  const errorMessage = [...reasons].join('; ')
  if (encoding === 'json') {
    // 64-bit numbers are text in JSON.
    const body = count === 0 ? {} : { partialSuccess: { rejectedSpans: String(count), errorMessage } }
    return new Response(JSON.stringify(body), { headers })
  }
  const response = new BinaryWriter()
  if (count > 0) response.tag(1, 2).fork().tag(1, 0).int64(count).tag(2, 2).string(errorMessage).join()
  return new Response(new Uint8Array(response.finish()), { headers })
}
