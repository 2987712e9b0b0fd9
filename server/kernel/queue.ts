import { type Clock, fromKysely, type Job, PgBoss, systemClock } from 'pg-boss'
import type { Transaction } from './db/database.ts'
import type { Log } from './log.ts'
import { pollQueues } from './poll-queues.ts'
import { openQueueDatabase } from './queue-database.ts'

/** Work that outlives the request. A job is enqueued in the transaction that causes it, and is only ids: the tables are the truth. */
export type JobData = { tenantId: string; id: string }

export type JobHandler = {
  queue: string
  /** At most this many at once in this process. */
  concurrency: number
  /** `retries`: how often it was tried before. Throws to be tried again. */
  run(data: JobData, retries: number): Promise<void>
}

export type Queue = {
  /**
   * Enqueues in `tx`. Of one queue and id, one job runs at a time; `startAfter` delays it: until a time of the database, or
   * for so many seconds. A time of this machine's clock, which may be wrong, is no such time.
   */
  enqueue(tx: Transaction, queue: string, data: JobData, startAfter?: Date | { seconds: number }): Promise<void>
  work(handlers: readonly JobHandler[]): Promise<void>
  /** Lets running jobs finish for a few seconds, then gives them back to whoever starts next. */
  close(): Promise<void>
}

const settings = {
  notify: true,
  heartbeatSeconds: 10,
  expireInSeconds: 6 * 3600,
  retryLimit: 1000,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 60,
  deleteAfterSeconds: 3600,
  // A job waits for as long as the product is switched off: the library would drop it after 14 days.
  retentionSeconds: 10 * 365 * 86_400,
}

/** Without LISTEN, and with it: then it is only for what both the notification and the look into all queues have missed. */
const polling = { pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 60 }

/** The library's own pass over all queues reads every job that there is: it cleans up, and ends what ran for too long. */
const superviseSeconds = 30

/**
 * The library measures how long a worker was busy, to know how long it may rest: with a clock that was put back in between,
 * that would be as long as the clock was put back, and no timer of the queue would end in time. This one only goes on.
 */
const steadyClock: Clock = { ...systemClock, now: () => performance.timeOrigin + performance.now() }

/** One of a queue's workers in this process. */
type Runner = { workerId: string; busy: boolean }

/**
 * pg-boss on the application's role. A worker that dies is noticed by its missing heartbeat (10 s), and the job goes to
 * another one; `singleton` with the id as key keeps two workers off one object meanwhile. What nobody tells of is looked
 * for once a second in all queues at once.
 */
export async function openQueue(url: string, log: Log, { supervise = superviseSeconds } = {}): Promise<Queue> {
  const runners = new Map<string, Runner[]>()
  const database = openQueueDatabase(url, log, wakeNext)
  const boss = new PgBoss({
    db: database,
    migrate: false,
    createSchema: false,
    schedule: false,
    superviseIntervalSeconds: supervise,
    monitorIntervalSeconds: 1,
    // While this cache holds a dead worker's job as active, nobody takes it: the library's own minute is too long.
    queueCacheIntervalSeconds: 1,
    useListenNotify: true,
    clock: steadyClock,
  })
  boss.on('error', (error) => log.error({ err: error }, 'queue'))
  boss.on('warning', (warning) => log.debug({ warning }, 'queue'))
  await boss.start()
  let looking: ReturnType<typeof pollQueues> | undefined

  return {
    async enqueue(tx, queue, data, startAfter) {
      await boss.send(queue, data, {
        singletonKey: data.id,
        db: fromKysely(tx.withoutPlugins()),
        ...(startAfter === undefined
          ? {}
          : { startAfter: startAfter instanceof Date ? startAfter : startAfter.seconds }),
      })
    },
    async work(handlers) {
      for (const { queue, concurrency, run } of handlers) {
        await boss.createQueue(queue, { policy: 'singleton', ...settings })
        // A queue that an earlier version made is left as it was by that.
        await boss.updateQueue(queue, settings)
        const all: Runner[] = []
        runners.set(queue, all)
        for (let index = 0; index < concurrency; index++) {
          const runner: Runner = { workerId: '', busy: false }
          runner.workerId = await boss.work<JobData>(queue, polling, async ([job]: Job<JobData>[]) => {
            if (job === undefined) return
            runner.busy = true
            // One notification may have stood for several jobs.
            wakeNext(queue)
            try {
              await run(job.data, job.retryCount)
            } catch (error) {
              log.error({ err: error, queue, id: job.data.id }, 'a job failed and will be tried again')
              throw error
            } finally {
              runner.busy = false
              // What came while everybody was busy is looked for at once, and not at the next poll.
              boss.notifyWorker(runner.workerId)
            }
          })
          all.push(runner)
        }
      }
      looking ??= pollQueues(
        {
          executeSql: database.executeSql,
          queues: () => [...runners.keys()],
          onDue: wakeNext,
          onLost: () => boss.supervise(),
        },
        log,
      )
    },
    async close() {
      await looking?.close()
      await boss.stop({ graceful: true, timeout: 5000 })
      await database.close()
    },
  }

  /** Wakes one worker that has nothing to do, another one each time: the library would have all of them ask for one job. */
  function wakeNext(queue: string): void {
    const all = runners.get(queue) ?? []
    const runner = all.find(({ busy }) => !busy)
    if (runner === undefined) return
    all.push(...all.splice(all.indexOf(runner), 1))
    boss.notifyWorker(runner.workerId)
  }
}
