import type { Log } from './log.ts'
import { type QueueNews, queueNewsText } from './queue-store.ts'

/** How often a process looks into all its queues. */
const everyMs = 1000

type Polling = {
  executeSql(text: string, values: unknown[]): Promise<{ rows: unknown[] }>
  queues(): string[]
  /** A job's time has come: have somebody take it. */
  onDue(queue: string): void
  /** A job's worker is dead: have the library give the job back. */
  onLost(): Promise<unknown>
}

/**
 * Finds, in all queues at once, the jobs whose time has come and those whose worker is dead: nobody tells of these. Ends
 * with `close`, which waits for the look that is under way.
 */
export function pollQueues({ executeSql, queues, onDue, onLost }: Polling, log: Log): { close(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined
  let closed = false
  const news = async () => (await executeSql(queueNewsText, [queues()])).rows as QueueNews[]
  const look = async () => {
    let found = await news()
    if (found.some(({ lost }) => lost)) {
      await onLost()
      // Else the library would still believe that they run.
      found = await news()
    }
    for (const { name, due } of found) if (due) onDue(name)
  }
  const again = () => {
    timer = setTimeout(() => {
      underWay = look()
        .catch((error: unknown) => log.debug({ err: error }, 'the queues were not polled; it is tried again'))
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
