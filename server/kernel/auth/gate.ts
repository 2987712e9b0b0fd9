import { isExact } from '#server/kernel/input.ts'
import { isPlausibleSignature } from './ecdsa-signature.ts'
import { hasDuplicateMembers } from './json-members.ts'

/** Length of the longest token that is parsed, in characters; the product's own are about 900. */
export const maxTokenLength = 16 * 1024

/** The JSON of a token's first two parts, not verified yet. */
export type UnverifiedJws = { header: Record<string, unknown>; payload: Record<string, unknown> }

/**
 * Header members that change how the other parts are read: unencoded (RFC 7797) or compressed payloads, and extensions that a
 * reader must understand. This server understands none, so a token with any of them is refused.
 */
const refusedMembers = ['b64', 'crit', 'zip']

const part = /^[A-Za-z0-9_-]+$/
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * A strict check before the token library, which accepts several spellings and readings of one token: exactly three base64url
 * parts (RFC 7515, compact) that re-encode to themselves, the first two JSON objects without duplicate members, a header
 * without extensions, and a signature of the form that its algorithm requires. Undefined for anything else.
 */
export function parseCompactJws(token: string): UnverifiedJws | undefined {
  if (token.length > maxTokenLength) return undefined
  const parts = token.split('.')
  if (parts.length !== 3 || !parts.every(isCanonical)) return undefined
  const header = jsonObject(parts[0])
  const payload = jsonObject(parts[1])
  if (header === undefined || payload === undefined) return undefined
  if (refusedMembers.some((name) => Object.hasOwn(header, name))) return undefined
  if (!isPlausibleSignature(header.alg, Buffer.from(parts[2] ?? '', 'base64url'))) return undefined
  return { header, payload }
}

// Unused bits of the last character would allow several spellings of one signature.
const isCanonical = (text: string): boolean =>
  part.test(text) && Buffer.from(text, 'base64url').toString('base64url') === text

function jsonObject(encoded: string | undefined): Record<string, unknown> | undefined {
  if (encoded === undefined) return undefined
  try {
    const text = utf8.decode(Buffer.from(encoded, 'base64url'))
    const value: unknown = JSON.parse(text)
    return isObject(value) && isExact(value) && !hasDuplicateMembers(text) ? value : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
