import type { Log } from './log.ts'
import { type QueueNews, queueNewsText } from './queue-store.ts'

/** How often a process polls all its queues. */
const everyMs = 1000

type Polling = {
  executeSql(text: string, values: unknown[]): Promise<{ rows: unknown[] }>
  queues(): string[]
  /** Called when a job is due: have a worker take it. */
  onDue(queue: string): void
  /** Called when a job's worker is dead: have the library return the job to the queue. */
  onLost(): Promise<unknown>
}

/**
 * Polls all queues together for jobs that have become due and jobs whose worker is dead, because neither causes a
 * notification. `close` stops it and waits for the current poll.
 */
export function pollQueues({ executeSql, queues, onDue, onLost }: Polling, log: Log): { close(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined
  let closed = false
  const news = async () => (await executeSql(queueNewsText, [queues()])).rows as QueueNews[]
  const look = async () => {
    let found = await news()
    if (found.some(({ lost }) => lost)) {
      await onLost()
      // Otherwise the library would still treat them as running.
      found = await news()
    }
    for (const { name, due } of found) if (due) onDue(name)
  }
  const again = () => {
    timer = setTimeout(() => {
      underWay = look()
        .catch((error: unknown) => log.debug({ err: error }, 'polling the queues failed; the next poll tries again'))
        .finally(() => {
          if (!closed) again()
        })
    }, everyMs)
  }
  let underWay: Promise<void> = Promise.resolve()
  again()
  return {
    async close() {
      closed = true
      clearTimeout(timer)
      await underWay
    },
  }
}
