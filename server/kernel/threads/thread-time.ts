import { readFileSync, readlinkSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

// A thread inside WebAssembly can't respond, so Node can't report its processor time. Linux can, by the id of the thread, which
// the thread itself writes to shared memory.

/** Shared memory for a thread's id: 0 until the thread has started, -1 when the system does not provide one. */
export const threadSlot = (): Int32Array => new Int32Array(new SharedArrayBuffer(4))

/** Publishes the id of the calling thread. */
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
 * Processor time of a thread in milliseconds. Falls back to elapsed time, which passes faster, so a limit is never exceeded.
 * Undefined before the thread has started.
 */
export function threadMs(slot: Int32Array): number | undefined {
  const id = Atomics.load(slot, 0)
  if (id === 0) return undefined
  try {
    // The first number is the processor time in nanoseconds.
    return Number(readFileSync(`/proc/self/task/${id}/schedstat`, 'utf8').split(' ')[0]) / 1_000_000
  } catch {
    // Not Linux, or a kernel without scheduler statistics. A thread that has ended emits its own exit event.
    return performance.now()
  }
}
