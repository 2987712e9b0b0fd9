import { hash, type KeyObject } from 'node:crypto'
import { compactVerify } from 'jose'
import type { TokenKey } from './issuers/issuer.ts'

/** A signature that was checked, and until when it may count, in milliseconds since the epoch. */
type Checked = { key: KeyObject; algorithm: unknown; until: number }

/** A token as it is read before it is verified. */
type Unverified = { header: Record<string, unknown>; payload: Record<string, unknown> }

/**
 * A check that throws the token library's error unless `key`, with one of its algorithms, has signed exactly this token. It is remembered
 * until the token expires, for the last `most` tokens, and counts for the same key and algorithm only. Whether a signature is right never
 * changes; everything else about a token does, and is checked at every call.
 */
export function checkSignatures(most: number) {
  // By SHA-256 of the whole token, oldest first.
  const checked = new Map<string, Checked>()
  return async (
    compact: string,
    { header: { alg }, payload: { exp } }: Unverified,
    { key, algorithms }: Pick<TokenKey, 'key' | 'algorithms'>,
  ): Promise<void> => {
    const digest = hash('sha256', compact, 'base64')
    const known = checked.get(digest)
    const counts = known !== undefined && isSame(known, key, alg) && known.until > Date.now()
    if (counts && algorithms.some((one) => one === alg)) return
    checked.delete(digest)
    await compactVerify(compact, key, { algorithms: [...algorithms] })
    if (typeof exp !== 'number') return
    checked.set(digest, { key, algorithm: alg, until: exp * 1000 })
    const [oldest] = checked.keys()
    if (checked.size > most && oldest !== undefined) checked.delete(oldest)
  }
}

// Owned by this module: the signatures that this process has checked.
export const requireSignature = checkSignatures(10_000)

/** Keys are loaded again every minute, so the same one may be another object. */
const isSame = (known: Checked, key: KeyObject, alg: unknown): boolean =>
  known.algorithm === alg && (known.key === key || known.key.equals(key))
