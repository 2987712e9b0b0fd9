import { cutSignal } from '#server/kernel/runtime.ts'
import { bodyOf } from './outbound.ts'

/**
 * Calls a server that the operator has named: a witness, an authority, an issuer. Like fetch, but the whole answer has `wholeMs` and
 * `maxBytes` (AnswerTooLarge), redirects are errors, and it ends when the process stops. Addresses of manifests go through
 * outbound.ts.
 */
export async function fetchLimited(
  url: string,
  init: { method?: string; headers?: Record<string, string>; body?: string | ArrayBuffer | URLSearchParams },
  { wholeMs, maxBytes }: { wholeMs: number; maxBytes: number },
): Promise<Response> {
  const signal = AbortSignal.any([cutSignal(), AbortSignal.timeout(wholeMs)])
  const answer = await fetch(url, { ...init, redirect: 'error', signal })
  const { status, statusText, headers } = answer
  return new Response(bodyOf(answer, maxBytes, signal), { status, statusText, headers })
}
