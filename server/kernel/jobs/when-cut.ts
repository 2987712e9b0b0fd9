import type { JobHandler } from '#server/kernel/queue.ts'
import { endedWithin } from './ended-within.ts'

/** How long jobs that are cut may take to end. What they called may not answer, nor may the database. */
const endMs = 3000

// Owned by this module: the jobs of this process that end when they are cut.
const running = new Set<Promise<void>>()

/** For a job that ends soon after the process's `cut`, and then writes what has become of it: the process waits for that. */
export const endsWhenCut = ({ run, ...handler }: JobHandler): JobHandler => ({
  ...handler,
  run(data, retries) {
    const one = run(data, retries).finally(() => running.delete(one))
    running.add(one)
    return one
  },
})

/** Resolves when the jobs that were cut have ended, or soon: the queue then takes back those that have not. */
export const cutJobsEnded = (): Promise<void> => endedWithin(endMs, Promise.allSettled(running))
