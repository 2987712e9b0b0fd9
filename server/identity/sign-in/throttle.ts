/** Failed sign-ins of one account from one address within the window; after these, further attempts are refused. */
const maxFailures = 10
/** Milliseconds. */
const window = 5 * 60_000
/** Number of keys to remember; the oldest are dropped first. */
const maxKeys = 10_000

// In memory and per process, on purpose: it slows down guessing at one account without letting a stranger lock the
// account for its owner at another address, and a lost count costs little against 256-bit demo passwords and Argon2id.
// Several processes allow several times as many guesses. Behind a proxy every address is the proxy's, so the limit is
// then one per account.
const failures = new Map<string, { count: number; since: number }>()

export type SignInAttempt = { tenantId: string; username: string; address: string }

const keyOf = ({ tenantId, username, address }: SignInAttempt) => JSON.stringify([tenantId, username, address])

/** Seconds until another attempt is allowed; undefined if one is allowed now. */
export function secondsToWait(attempt: SignInAttempt, now = Date.now()): number | undefined {
  const known = failures.get(keyOf(attempt))
  if (known === undefined || known.count < maxFailures || now - known.since >= window) return undefined
  return Math.ceil((known.since + window - now) / 1000)
}

export function recordFailure(attempt: SignInAttempt, now = Date.now()): void {
  const key = keyOf(attempt)
  const known = failures.get(key)
  failures.delete(key)
  failures.set(
    key,
    known === undefined || now - known.since >= window
      ? { count: 1, since: now }
      : { ...known, count: known.count + 1 },
  )
  for (const oldest of failures.keys()) {
    if (failures.size <= maxKeys) break
    failures.delete(oldest)
  }
}

export function recordSuccess(attempt: SignInAttempt): void {
  failures.delete(keyOf(attempt))
}
