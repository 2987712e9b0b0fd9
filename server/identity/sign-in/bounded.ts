/** Too many are waiting already; the caller may try again in a moment. */
export class OverloadError extends Error {}

/** Lets `concurrent` pieces of work run at once and `waiting` more wait in order; throws OverloadError beyond. */
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
      // Whoever is next takes over this place, so that nobody can slip in between.
      const next = queue.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
