import { ApiError } from '#lib/errors.ts'

/** The decompressed bytes of requests that this process holds concurrently. More are refused, not queued, to limit memory. */
const maxHeldBytes = 32 * 1024 * 1024
/** Batches that are decoded and written concurrently. Each needs a connection of the pool. */
const maxAtOnce = 4
/** Their total decompressed bytes, because objects need many times as much. A larger batch is processed alone. */
const maxBytesAtOnce = 4 * 1024 * 1024
/** Batches that arrive or wait for their turn, because a connection whose body is read needs memory, too. */
const maxWaiting = 64

let held = 0
let places = 0
let running = 0
let runningBytes = 0
const waiting: { bytes: number; start(): void }[] = []

const busy = () =>
  new ApiError('rate_limited', 'More telemetry arrives than can be written. Send it again in a second.')

export type Place = {
  /** Reserves further bytes when the request turns out to be larger. Throws 429 if they exceed the limit. */
  grow(bytes: number): void
  /** Waits for its turn. */
  turn(): Promise<void>
  /** Must always be called at the end. */
  leave(): void
}

const fits = (bytes: number) => running === 0 || (running < maxAtOnce && runningBytes + bytes <= maxBytesAtOnce)

/** Starts requests in the order of arrival, so that small ones can't delay a large one without limit. */
function startNext(): void {
  for (let next = waiting[0]; next !== undefined && fits(next.bytes); next = waiting[0]) {
    waiting.shift()
    next.start()
  }
}

/** Admits a request before its body is read. Throws 429 with Retry-After if there are too many requests or bytes. */
export function enter(bytes: number): Place {
  if (places >= maxAtOnce + maxWaiting) throw busy()
  let mine = 0
  /** The bytes that count as being processed; undefined before and after. */
  let working: number | undefined
  let waits: { bytes: number; start(): void } | undefined
  const grow = (more: number) => {
    if (held + more > maxHeldBytes) throw busy()
    held += more
    mine += more
  }
  const start = () => {
    working = mine
    running += 1
    runningBytes += working
  }
  grow(bytes)
  places += 1
  let here = true
  return {
    grow: (total) => grow(Math.max(0, total - mine)),
    async turn() {
      if (waiting.length === 0 && fits(mine)) return start()
      await new Promise<void>((resolve) => {
        waits = {
          bytes: mine,
          start() {
            waits = undefined
            start()
            resolve()
          },
        }
        waiting.push(waits)
      })
    },
    leave() {
      if (here) places -= 1
      here = false
      held -= mine
      mine = 0
      if (waits !== undefined) waiting.splice(waiting.indexOf(waits), 1)
      waits = undefined
      if (working !== undefined) {
        running -= 1
        runningBytes -= working
      }
      working = undefined
      startNext()
    },
  }
}

/** The current load of this process, for the benchmark and the tests. */
export const standing = () => ({ held, running, runningBytes, waiting: waiting.length })
