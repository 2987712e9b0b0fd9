import type { Db } from 'pg-boss'
import { keepListening } from './db/listening.ts'
import { openPool } from './db/pool.ts'
import type { Log } from './log.ts'

/**
 * The queue's own connections. The library's pool has no listener for a connection that dies in use, which would end the
 * process; ours has (db/pool.ts). Without pipelining: the library sends several statements as one text. `onJob`
 * hears of each queue that got a job.
 */
export function openQueueDatabase(
  url: string,
  log: Log,
  onJob: (queue: string) => void,
): Db & { close(): Promise<void> } {
  const pool = openPool(url, log, { max: 4, application_name: 'countersign-queue' })
  return {
    executeSql: (text, values) => pool.query(text, values),
    async listen(channel, _wakeAll, onListening) {
      const close = keepListening(url, [channel], log, {
        onNotification: ({ payload }) => onJob(payload ?? ''),
        onListening,
      })
      return { close }
    },
    close: () => pool.end(),
  }
}
