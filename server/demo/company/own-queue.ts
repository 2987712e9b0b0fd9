import type { Transaction } from '#server/kernel/db/database.ts'
import type { JobData, JobHandler, Queue } from '#server/kernel/queue.ts'

type Waiting = { queue: string; data: JobData; at: number; retries: number }

/** A failed job is tried again this often, after a second of the tenant's clock each. */
const mostRetries = 5

export type OwnQueue = Pick<Queue, 'enqueue' | 'enqueueFirst'> & {
  /** When the next job is due, by this process's clock; undefined without one. */
  nextAt(): number | undefined
  /** Runs the jobs that are due, one after the other, and those that they add. Throws what a job throws in the end. */
  runDue(): Promise<void>
  /** Gives what is not due to another queue, which all processes share. */
  handOver(queue: Queue, inTenant: (work: (tx: Transaction) => Promise<void>) => Promise<void>): Promise<void>
}

/**
 * The jobs of a tenant while this process fills it. Other processes would take them by the ordinary clock. A job of a
 * transaction that was undone finds nothing to do, as one that is delivered twice.
 */
export function ownQueue(handlers: readonly JobHandler[]): OwnQueue {
  const runs = new Map(handlers.map(({ queue, run }) => [queue, run]))
  let waiting: Waiting[] = []
  const next = (): Waiting | undefined =>
    waiting.reduce<Waiting | undefined>(
      (first, one) => (first === undefined || one.at < first.at ? one : first),
      undefined,
    )
  const enqueue: Queue['enqueue'] = async (_tx, queue, data, startAfter) => {
    const at =
      startAfter instanceof Date
        ? startAfter.getTime()
        : Date.now() + (startAfter === undefined ? 0 : startAfter.seconds * 1000)
    waiting.push({ queue, data, at, retries: 0 })
  }
  return {
    enqueue,
    enqueueFirst: (tx, queue, data) => enqueue(tx, queue, data),
    nextAt: () => next()?.at,
    async runDue() {
      for (let job = next(); job !== undefined && job.at <= Date.now(); job = next()) {
        const due = job
        waiting = waiting.filter((one) => one !== due)
        const run = runs.get(due.queue)
        if (run === undefined) throw new Error(`No worker takes the queue ${due.queue}.`)
        try {
          await run(due.data, due.retries)
        } catch (error) {
          if (due.retries === mostRetries) throw error
          waiting.push({ ...due, at: Date.now() + 1000, retries: due.retries + 1 })
        }
      }
    },
    async handOver(queue, inTenant) {
      const left = waiting
      waiting = []
      await inTenant(async (tx) => {
        for (const { queue: name, data, at } of left) await queue.enqueue(tx, name, data, new Date(at))
      })
    },
  }
}
