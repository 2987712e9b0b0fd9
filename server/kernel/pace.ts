import { setImmediate } from 'node:timers/promises'

/** Milliseconds of work in one piece. Four batches are decoded concurrently, so others wait for four pieces at most. */
const pieceMs = 5

/**
 * Divides long work on the main thread into pieces, between which the process answers other requests:
 * `if (pace.due()) await pace.rest()`.
 */
export class Pace {
  #until = performance.now() + pieceMs

  due(): boolean {
    return performance.now() >= this.#until
  }

  async rest(): Promise<void> {
    await setImmediate()
    this.#until = performance.now() + pieceMs
  }
}

/** Decoding as many bytes takes well under a millisecond. */
const bytesBetweenLooks = 16 * 1024

/** A pace for reading bytes: asking for the time costs as much as reading a small part. */
export class Rests {
  readonly #pace = new Pace()
  #looked = 0

  /** `at`: the position in the bytes. */
  due(at: number): boolean {
    if (at - this.#looked < bytesBetweenLooks) return false
    this.#looked = at
    return this.#pace.due()
  }

  rest(): Promise<void> {
    return this.#pace.rest()
  }
}

/** How many small items are worked on before the time is read, which costs as much as one of them. */
const itemsBetweenLooks = 32

/** Like `items.map(work)`, in pieces. */
export async function inPieces<T, R>(items: readonly T[], work: (item: T) => R): Promise<R[]> {
  const pace = new Pace()
  const results: R[] = []
  for (const item of items) {
    if (results.length % itemsBetweenLooks === 0 && pace.due()) await pace.rest()
    results.push(work(item))
  }
  return results
}
