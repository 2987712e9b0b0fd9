import { ApiError } from '#lib/errors.ts'
import type { Caller } from './auth/principal.ts'
import { requireExact } from './input.ts'

const header = 'x-svc-justification'

/**
 * The caller with the reason for viewing sensitive values that the request states in its header, on every transport. A header,
 * because addresses are logged; percent-encoded, because a header can't contain letters beyond ASCII. Throws 400 for another encoding.
 */
export function withJustification(caller: Caller, { headers }: Request): Caller {
  const encoded = headers.get(header)
  return encoded === null ? caller : { ...caller, justification: decode(encoded) }
}

/** Tab and printable ASCII. */
const plain = /^[\t\x20-\x7e]*$/

function decode(encoded: string): string {
  const text = plain.test(encoded) ? decoded(encoded) : undefined
  if (text === undefined)
    throw new ApiError(
      'bad_request',
      `Send the header ${header} as percent-encoded UTF-8, as encodeURIComponent writes it.`,
    )
  requireExact(text)
  return text
}

function decoded(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded)
  } catch {
    // URIError: a percent sign that encodes nothing, or bytes that are not UTF-8.
    return undefined
  }
}

/** The input with the header's justification as its own. Throws 400 if the two differ, because only one can be recorded. */
export function justified(input: unknown, { justification }: Caller): unknown {
  if (justification === undefined || typeof input !== 'object' || input === null) return input
  const own: unknown = Reflect.get(input, 'justification')
  if (own === undefined) return { ...input, justification }
  if (typeof own === 'string' && own.trim() !== justification.trim())
    throw new ApiError('bad_request', `The justifications in the body and in the header ${header} differ.`)
  return input
}
