import { type Finding, failed, reasonOf, type Subject } from './findings.ts'

/** More than a finding needs: what a check calls has limits of its own. */
const usualMs = 60_000

/**
 * The findings of a check as they come. A check that throws, or finds nothing more for a minute, is a finding itself: the others still
 * have theirs.
 */
export async function* inTime(
  subject: Subject,
  check: Promise<Finding[]> | AsyncGenerator<Finding>,
  ms = usualMs,
): AsyncGenerator<Finding> {
  const findings = 'then' in check ? listed(check) : check
  try {
    for (;;) {
      const next = await before(findings.next(), ms)
      if (next.done === true) return
      yield next.value
    }
  } catch (error) {
    yield failed(
      subject,
      error instanceof Late
        ? `the check did not end within ${ms / 1000} seconds.`
        : `the check could not end (${reasonOf(error)}).`,
      'See what does not answer as it should, and run this command again.',
    )
  }
}

class Late extends Error {}

async function* listed(findings: Promise<Finding[]>): AsyncGenerator<Finding> {
  yield* await findings
}

async function before<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Late()), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
