import { AsyncResource } from 'node:async_hooks'
import { CompiledQuery } from 'kysely'
import { type Clock, PgBoss, systemClock } from 'pg-boss'
import { afterEnd, withCommit } from './db/closing.ts'
import type { Transaction } from './db/database.ts'
import type { Listener } from './db/listen.ts'
import { notify } from './db/notify.ts'
import { newId } from './ids.ts'
import { endedWithin } from './jobs/ended-within.ts'
import { type MeasuredRun, measuredRun } from './jobs/measured-run.ts'
import { ownJobs } from './jobs/own.ts'
import { queueSettings } from './jobs/settings.ts'
import { openSharedSlots, type SharedSlots } from './jobs/shared-slots.ts'
import { takenJobs } from './jobs/taken.ts'
import type { Log } from './log.ts'
import { measureQueues } from './observe/queue-meters.ts'
import { pollQueues } from './poll-queues.ts'
import { openQueueDatabase } from './queue-database.ts'
import { type QueueDepth, queueDepthsText, takenJobText } from './queue-store.ts'

/**
 * Work that outlives the request. A job is enqueued in the transaction that causes it and contains only ids: the tables
 * are the source of truth.
 */
export type JobData = { tenantId: string; id: string }

export type JobHandler = {
  queue: string
  /** The maximum number of concurrent jobs in this process; those of one tenant are at most three quarters of it. */
  concurrency: number
  /** `retries`: the number of earlier attempts. Throws to be retried. */
  run(data: JobData, retries: number): Promise<void>
}

/** What is different about a job whose object this process knows. */
export type OwnJob = {
  /** Runs instead of the queue's handler, if this process gets the job soon. */
  run(): Promise<void>
  /** Has the job stored by a statement of the caller, which must call store_job (migration 0125). */
  store(job: { id: string; taken: boolean }): void
}

export type Queue = {
  /**
   * Enqueues in `tx`, with its COMMIT. One job per queue and id runs at a time. `startAfter` delays the job, until a time of the
   * database's clock or by a number of seconds. Do not pass a time of this machine's clock, which may be wrong.
   */
  enqueue(tx: Transaction, queue: string, data: JobData, startAfter?: Date | { seconds: number }): Promise<void>
  /**
   * The same for the first job of an id that no one else knows yet. If this process works on the queue and is not busy, and the tenant does not
   * have its share of it, it takes the job
   * with the COMMIT and runs it at once, without a trip to the queue; if it dies, another one gets the job.
   */
  enqueueFirst(tx: Transaction, queue: string, data: JobData, own?: OwnJob): Promise<void>
  /** Resolves when each of these queues was looked into once. */
  work(handlers: readonly JobHandler[]): Promise<void>
  /** Takes no more jobs. Resolves when the running ones have ended, or after `ms`. Jobs can still be enqueued. */
  drain(ms: number): Promise<void>
  /** Lets running jobs finish for a few seconds unless it was drained, then returns them to the queue for the next process. */
  close(): Promise<void>
}

/** Catches jobs that both the notification and the poll of all queues have missed. */
const lookMs = 60_000

/**
 * After a look past the jobs of a tenant that has its share, which reads all of them, a queue rests ten times as long as it took, and not
 * longer than this.
 */
const longestRestMs = 1000

/** How long running jobs have when the process closes its queue. */
const closeMs = 5000

/** The library's own supervision reads every job: it cleans up, and ends jobs that have run for too long. */
const superviseSeconds = 30

/**
 * The library measures how long a worker was busy to compute how long it may rest. If the clock is set back in between,
 * the rest would be extended by the same amount, and no timer of the queue would fire in time. This clock is monotonic.
 */
const steadyClock: Clock = { ...systemClock, now: () => performance.timeOrigin + performance.now() }

/** The library only reads from the answer whether a row was inserted. A job that exists already is as good as a new one. */
const sentWithCommit = (tx: Transaction) => ({
  executeSql: (text: string, values: unknown[] = []) => {
    withCommit(tx, CompiledQuery.raw(text, values))
    return Promise.resolve({ rows: [{ id: null }] })
  },
})

/** What this process does with the jobs of a queue. */
type Working = {
  slots: SharedSlots
  /** The look that is under way. */
  looking?: Promise<void> | undefined
  /** No look past the jobs of other tenants before this time. */
  restsUntil: number
  rest?: NodeJS.Timeout | undefined
  perform: MeasuredRun<JobData>
  /** How often there was to be a look for jobs. */
  wakes: number
}

/**
 * pg-boss with the application's role. A missing heartbeat (10 s) reveals a dead worker, and its job passes to another
 * one; until then, `singleton` with the id as key keeps two workers off one object. Due jobs and dead workers cause no
 * notification, so all queues are polled together once a second.
 */
export async function openQueue(
  url: string,
  log: Log,
  listener: Pick<Listener, 'on'>,
  { supervise = superviseSeconds } = {},
): Promise<Queue> {
  const workings = new Map<string, Working>()
  const database = openQueueDatabase(url, log)
  const boss = new PgBoss({
    db: database,
    migrate: false,
    createSchema: false,
    schedule: false,
    superviseIntervalSeconds: supervise,
    monitorIntervalSeconds: 1,
    // While this cache lists a dead worker's job as active, no worker takes it; the library's default of a minute is
    // too long.
    queueCacheIntervalSeconds: 1,
    clock: steadyClock,
  })
  boss.on('error', (error) => log.error({ err: error }, 'queue'))
  boss.on('warning', (warning) => log.debug({ warning }, 'queue'))
  await boss.start()
  const stopMeters = measureQueues(async () => {
    const { rows } = await database.executeSql(queueDepthsText, [])
    return rows as QueueDepth[]
  })
  const taken = takenJobs(boss, database, log)
  const known = ownJobs()
  // A job that is taken starts inside the request that enqueued it, and must not belong to it.
  const outside = new AsyncResource('queue')
  let looking: ReturnType<typeof pollQueues> | undefined
  let drained = false
  const stopListening = listener.on('job', '*', (queue) => {
    // Without a name: notifications may have been missed.
    for (const name of queue === undefined ? workings.keys() : [queue]) wake(name)
  })
  const everyMinute = setInterval(() => [...workings.keys()].forEach(wake), lookMs).unref()

  const enqueue: Queue['enqueue'] = async (tx, queue, data, startAfter) => {
    await boss.send(queue, data, {
      singletonKey: data.id,
      group: { id: data.tenantId },
      db: sentWithCommit(tx),
      ...(startAfter === undefined ? {} : { startAfter: startAfter instanceof Date ? startAfter : startAfter.seconds }),
    })
    if (startAfter === undefined) notify(tx, 'job', queue)
  }
  return {
    enqueue,
    async enqueueFirst(tx, queue, data, own) {
      const working = workings.get(queue)
      const slot = drained ? undefined : working?.slots.reserve(data.tenantId)
      const id = newId()
      if (working === undefined || slot === undefined) {
        if (own === undefined) return await enqueue(tx, queue, data)
        own.store({ id, taken: false })
        notify(tx, 'job', queue)
        if (working !== undefined) afterEnd(tx, (committed) => committed && known.keep(id, own.run))
        return
      }
      if (own === undefined) withCommit(tx, CompiledQuery.raw(takenJobText, [id, queue, JSON.stringify(data), data.id]))
      else own.store({ id, taken: true })
      const run = () =>
        slot.run(async () => {
          if (drained) throw new Error('The process is being shut down.')
          await working.perform(data, 0, own?.run)
        })
      afterEnd(tx, (committed) => {
        if (!committed) return slot.giveBack()
        const { wakes } = working
        // A job that arrived since then may have waited for a slot, or for the end of this one because it has the same id.
        const wakeForMissed = () => {
          if (working.wakes !== wakes) wake(queue)
        }
        outside.runInAsyncScope(() => taken.start(queue, { id, retryCount: 0 }, run, wakeForMissed))
      })
    },
    async work(handlers) {
      for (const { queue, concurrency, run } of handlers) {
        await boss.createQueue(queue, { policy: 'singleton', ...queueSettings })
        // Creating the queue does not change one that an earlier version created.
        await boss.updateQueue(queue, queueSettings)
        const perform = measuredRun(queue, run, log)
        workings.set(queue, { slots: openSharedSlots(concurrency), perform, restsUntil: 0, wakes: 0 })
      }
      looking ??= pollQueues(
        {
          executeSql: database.executeSql,
          queues: () => [...workings.keys()],
          onDue: wake,
          onLost: () => boss.supervise(),
        },
        log,
      )
      await Promise.all(handlers.map(({ queue }) => lookedOnce(queue)))
    },
    async drain(ms) {
      drained = true
      await endedWithin(
        ms,
        looksEnded().then(() => taken.ended()),
      )
    },
    async close() {
      stopListening()
      clearInterval(everyMinute)
      stopMeters()
      await looking?.close()
      const wasDrained = drained
      drained = true
      await endedWithin(closeMs, looksEnded())
      await taken.close(wasDrained ? 0 : closeMs)
      await boss.stop({ graceful: false })
      await database.close()
    },
  }

  async function looksEnded(): Promise<void> {
    await Promise.all([...workings.values()].map(({ looking }) => looking))
  }

  /** Looks for jobs, again if a look is under way. */
  function wake(queue: string): void {
    const working = workings.get(queue)
    if (working === undefined) return
    working.wakes += 1
    if (!drained) working.looking ??= outside.runInAsyncScope(look, undefined, queue, working)
  }

  async function lookedOnce(queue: string): Promise<void> {
    const working = workings.get(queue)
    if (working === undefined) return
    try {
      if (await takeNext(queue, working)) wake(queue)
    } catch (error) {
      log.error({ err: error }, 'queue')
    }
  }

  /** Takes jobs until none is found after the last wake. */
  async function look(queue: string, working: Working): Promise<void> {
    try {
      for (;;) {
        const { wakes } = working
        if (!(await takeNext(queue, working)) && wakes === working.wakes) return
      }
    } catch (error) {
      log.error({ err: error }, 'queue')
    } finally {
      working.looking = undefined
    }
  }

  /** Runs the next job, of a tenant that does not have its share. False if there is none, or no slot. */
  async function takeNext(queue: string, working: Working): Promise<boolean> {
    const full = working.slots.full()
    const restMs = full.length === 0 ? 0 : working.restsUntil - performance.now()
    if (restMs > 0) {
      working.rest ??= setTimeout(() => {
        working.rest = undefined
        wake(queue)
      }, restMs).unref()
      return false
    }
    const slot = drained ? undefined : working.slots.hold()
    if (slot === undefined) return false
    const begun = performance.now()
    const [job] = await boss.fetch<JobData>(queue, { ignoreGroups: full }).catch((error: unknown) => {
      slot.giveBack()
      throw error
    })
    if (job === undefined) {
      slot.giveBack()
      if (full.length > 0) working.restsUntil = performance.now() + restAfter(performance.now() - begun)
      return false
    }
    const { id, data, retryCount } = job
    const own = known.take(id)
    const run = () =>
      slot.run(data.tenantId, () => working.perform(data, retryCount, retryCount === 0 ? own : undefined))
    taken.start(queue, { id, retryCount }, run, () => wake(queue))
    return true
  }
}

const restAfter = (lookedMs: number): number => Math.min(10 * lookedMs, longestRestMs)
