import type { Db } from 'pg-boss'
import { applicationName } from './db/application-name.ts'
import { keepListening } from './db/listening/keep-listening.ts'
import { openPool } from './db/pool.ts'
import type { Log } from './log.ts'

/**
 * The queue's own connections. The library's pool does not handle errors of a connection that dies in use, which would
 * end the process; the pool in db/pool.ts does. No pipelining, because the library sends several statements as one
 * text. `onJob` is called for each queue that receives a job.
 */
export function openQueueDatabase(
  url: string,
  log: Log,
  onJob: (queue: string) => void,
): Db & { close(): Promise<void> } {
  const pool = openPool(url, log, 'queue', { max: 4, application_name: applicationName('queue') })
  return {
    executeSql: (text, values) => pool.query(text, values),
    async listen(channel, _wakeAll, onListening) {
      const close = keepListening(url, [channel], log, {
        name: applicationName('queue-listener'),
        onNotification: ({ payload }) => onJob(payload ?? ''),
        onListening,
      })
      return { close }
    },
    close: () => pool.end(),
  }
}
