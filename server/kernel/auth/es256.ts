import { type KeyObject, verify } from 'node:crypto'
import type { UnverifiedJws } from './gate.ts'
import { type Algorithm, algorithmsOf } from './issuers/algorithms.ts'

// The token library checks a signature on a thread of the pool. To hand a check of a tenth of a millisecond over and to be woken
// again costs as much as the check itself, on every request: the usual tokens are checked where they are.

const usualMembers = new Set(['alg', 'typ', 'kid'])
/** Bytes of r and s (RFC 7518, section 3.4). */
const signatureLength = 64

/** Whether a token is signed by ES256 as far as its header says, which asks for nothing else, and the key may be used so. */
export const isPlainEs256 = ({ header }: UnverifiedJws, key: KeyObject, algorithms: readonly Algorithm[]): boolean =>
  header.alg === 'ES256' &&
  Object.keys(header).every((member) => usualMembers.has(member)) &&
  algorithms.includes('ES256') &&
  isOfCurve(key)

// Owned by this module: a key's details are made anew each time they are asked for.
const ofCurve = new WeakMap<KeyObject, boolean>()

function isOfCurve(key: KeyObject): boolean {
  const known = ofCurve.get(key) ?? (key.type === 'public' && algorithmsOf(key).includes('ES256'))
  ofCurve.set(key, known)
  return known
}

/** Whether the signature of a compact JWS, three canonical parts, is the key's. */
export function isSignedEs256(compact: string, key: KeyObject): boolean {
  const dot = compact.lastIndexOf('.')
  const signature = Buffer.from(compact.slice(dot + 1), 'base64url')
  if (signature.length !== signatureLength) return false
  return verify('sha256', Buffer.from(compact.slice(0, dot)), { key, dsaEncoding: 'ieee-p1363' }, signature)
}
