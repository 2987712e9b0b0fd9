import { ApiError } from '#lib/errors.ts'

/** Bytes of requests, decompressed, that this process holds at once. More is refused, not queued: memory stays as it is. */
const maxHeldBytes = 32 * 1024 * 1024
/** Batches that are decoded and written at once; each takes a connection of the pool. */
const maxAtOnce = 4
/** Their bytes in all, decompressed: as objects they are many times as much. A larger batch is worked on alone. */
const maxBytesAtOnce = 4 * 1024 * 1024
/** Batches that come in or wait for their turn; a connection whose body is read costs memory, too. */
const maxWaiting = 64

let held = 0
let places = 0
let running = 0
let runningBytes = 0
const waiting: { bytes: number; start(): void }[] = []

const busy = () =>
  new ApiError('rate_limited', 'More telemetry arrives than can be written. Send it again in a second.')

export type Place = {
  /** What the request turns out to take. Throws 429 when there is not enough room. */
  grow(bytes: number): void
  /** Waits for its turn. */
  turn(): Promise<void>
  /** Always, in the end. */
  leave(): void
}

const fits = (bytes: number) => running === 0 || (running < maxAtOnce && runningBytes + bytes <= maxBytesAtOnce)

/** In the order of arrival, so that small requests cannot delay a large one without limit. */
function startNext(): void {
  for (let next = waiting[0]; next !== undefined && fits(next.bytes); next = waiting[0]) {
    waiting.shift()
    next.start()
  }
}

/** Lets a request in, before its body is read. Throws 429 with Retry-After when it would be one too many, or too large. */
export function enter(bytes: number): Place {
  if (places >= maxAtOnce + maxWaiting) throw busy()
  let mine = 0
  /** Bytes that count as being worked on; undefined before and after. */
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
