import { hash, type KeyObject } from 'node:crypto'
import type { JWTVerifyResult } from 'jose'

/** Tokens that are remembered; the oldest are forgotten first. */
const mostTokens = 2000

// Owned by this module: what was verified, by the digest of the whole token. Never what was refused.
const verified = new Map<string, { key: KeyObject; result: JWTVerifyResult }>()

/**
 * What a token was found to say, if exactly these bytes were verified with exactly this key before: the same again can't
 * come to anything else. What changes with time (the key's trust, the token's end, its holder's membership) is for the
 * caller to look at each time.
 */
export async function verifiedOnce(
  compact: string,
  key: KeyObject,
  verify: () => Promise<JWTVerifyResult>,
): Promise<JWTVerifyResult> {
  const digest = hash('sha256', compact, 'base64url')
  const known = verified.get(digest)
  if (known?.key === key) return known.result
  const result = await verify()
  verified.delete(digest)
  verified.set(digest, { key, result })
  for (const oldest of verified.keys()) {
    if (verified.size <= mostTokens) break
    verified.delete(oldest)
  }
  return result
}
