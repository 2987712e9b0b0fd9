import { ApiError } from '#lib/errors.ts'

/** Bytes of requests, decompressed, that this process holds at once. More is refused, not queued: memory stays as it is. */
const maxHeldBytes = 48 * 1024 * 1024
/** Batches that are decoded and written at once; each takes a connection of the pool. */
const maxAtOnce = 4
/** Batches that wait for their turn. */
const maxWaiting = 64

let held = 0
let running = 0
const waiting: (() => void)[] = []

const busy = () =>
  new ApiError('rate_limited', 'More telemetry is coming in than can be written. Send it again in a second.')

export type Place = {
  /** What the request turns out to take. Throws 429 when there is not enough room. */
  grow(bytes: number): void
  /** Waits for its turn. Throws 429 when too many wait already. */
  turn(): Promise<void>
  /** Always, in the end. */
  leave(): void
}

/** Lets a request in, before its body is read. Throws 429 with Retry-After. */
export function enter(bytes: number): Place {
  let mine = 0
  let mayRun = false
  const grow = (more: number) => {
    if (held + more > maxHeldBytes) throw busy()
    held += more
    mine += more
  }
  grow(bytes)
  return {
    grow: (total) => grow(Math.max(0, total - mine)),
    async turn() {
      if (running >= maxAtOnce) {
        if (waiting.length >= maxWaiting) throw busy()
        // Whoever leaves hands its turn on, so that the number of those at work stays.
        await new Promise<void>((resolve) => waiting.push(resolve))
      } else running += 1
      mayRun = true
    },
    leave() {
      held -= mine
      mine = 0
      if (!mayRun) return
      mayRun = false
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    },
  }
}

/** What stands in the process at the moment, for the benchmark and the tests. */
export const standing = () => ({ held, running, waiting: waiting.length })
