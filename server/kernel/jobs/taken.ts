import type { PgBoss } from 'pg-boss'
import type { Log } from '#server/kernel/log.ts'
import type { QueueDatabase } from '#server/kernel/queue-database.ts'
import { endedWithin } from './ended-within.ts'

/** A third of the heartbeat that the queues require. */
const heartbeatMs = 3000

/** `attempt`: the library settles a job only for the process that has it. */
type Taken = { queue: string; attempt: { id: string; retryCount: number }; running: Promise<void> }

/**
 * The jobs that this process runs: fetched from the queue, or taken in the transaction that enqueued them. To the library they are
 * running jobs: if this process dies, their heartbeat stops, and another one gets them.
 */
export function takenJobs(boss: PgBoss, { endJob }: Pick<QueueDatabase, 'endJob'>, log: Log) {
  const taken = new Set<Taken>()
  let beating: NodeJS.Timeout | undefined
  const byQueue = () => Map.groupBy(taken, ({ queue }) => queue)
  const beat = () => {
    for (const [queue, jobs] of byQueue())
      boss
        .touch(
          queue,
          jobs.map(({ attempt }) => attempt),
        )
        .catch((error: unknown) => log.debug({ err: error, queue }, 'a heartbeat of the queue failed'))
  }
  /** Settles a job, unless another process has it by now. */
  const settle = async ({ queue, attempt }: Taken, error?: unknown) => {
    await (error === undefined
      ? endJob(queue, attempt)
      : boss.fail(queue, attempt, { message: error instanceof Error ? error.message : String(error) }))
  }
  return {
    /** Runs a job that is active in the database, and then calls `settled`. `run` throws to have it retried. */
    start(queue: string, attempt: Taken['attempt'], run: () => Promise<void>, settled: () => void): void {
      const one: Taken = { queue, attempt, running: Promise.resolve() }
      taken.add(one)
      beating ??= setInterval(beat, heartbeatMs).unref()
      one.running = run()
        .then(
          () => settle(one),
          (error: unknown) => settle(one, error ?? new Error('The job failed.')),
        )
        // It stays active until its heartbeat is missed, and is then run again from the tables.
        .catch((error: unknown) => log.warn({ err: error, queue }, 'the end of a job could not be stored'))
        .finally(() => {
          taken.delete(one)
          settled()
        })
    },
    /** Resolves when the running ones have ended. */
    async ended(): Promise<void> {
      while (taken.size > 0) await Promise.all([...taken].map(({ running }) => running))
    },
    /** Returns those that are still running after `ms` to the queue. */
    async close(ms: number): Promise<void> {
      await endedWithin(ms, this.ended())
      clearInterval(beating)
      const left = new Error('The process was shut down while the job was running.')
      await Promise.all([...taken].map((one) => settle(one, left))).catch((error: unknown) =>
        log.warn({ err: error }, 'running jobs could not be returned to the queue'),
      )
    },
  }
}
