/** Too many callers are already waiting; the caller may try again in a moment. */
export class OverloadError extends Error {}

/**
 * Runs up to `concurrent` pieces of work concurrently and lets `waiting` more wait in order; throws OverloadError
 * beyond that.
 */
export function createGate({ concurrent, waiting }: { concurrent: number; waiting: number }) {
  let running = 0
  const queue: (() => void)[] = []
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= concurrent) {
      if (queue.length >= waiting) throw new OverloadError('Too many sign-ins are waiting.')
      await new Promise<void>((resolve) => queue.push(resolve))
    } else running += 1
    try {
      return await work()
    } finally {
      // The next caller takes over this slot directly, so that a new caller can't get in between.
      const next = queue.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
