import { readFileSync, readlinkSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

// A thread that is inside WebAssembly answers nobody, so Node can't tell its time. Linux can, by the id of the thread, which
// the thread itself leaves in memory that both have.

/** Memory for a thread's id: 0 until it has begun, -1 where the system knows none. */
export const threadSlot = (): Int32Array => new Int32Array(new SharedArrayBuffer(4))

/** To be called in the thread. */
export function tellThread(): void {
  if (workerData instanceof Int32Array) Atomics.store(workerData, 0, ownId())
}

function ownId(): number {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  } catch {
    // Not Linux.
    return -1
  }
}

/**
 * Milliseconds that a thread has run for. Where that can't be told, the time of day: it passes faster, so that a limit is
 * never longer than meant. Undefined for one that has not begun.
 */
export function threadMs(slot: Int32Array): number | undefined {
  const id = Atomics.load(slot, 0)
  if (id === 0) return undefined
  try {
    // Its first number is the time on a processor, in nanoseconds.
    return Number(readFileSync(`/proc/self/task/${id}/schedstat`, 'utf8').split(' ')[0]) / 1_000_000
  } catch {
    // No Linux, or one that does not count; a thread that has ended tells that itself.
    return performance.now()
  }
}
