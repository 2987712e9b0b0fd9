import type { Db } from 'pg-boss'
import { applicationName } from './db/application-name.ts'
import { openPool } from './db/pool.ts'
import type { Log } from './log.ts'
import { endedJobText } from './queue-store.ts'

export type QueueDatabase = Db & {
  /** Ends a job if this attempt still has it. Otherwise another process does, and nothing changes. */
  endJob(queue: string, attempt: { id: string; retryCount: number }): Promise<void>
  close(): Promise<void>
}

/**
 * The queue's own connections. The library's pool does not handle errors of a connection that dies in use, which would
 * end the process; the pool in db/pool.ts does. No pipelining, because the library sends several statements as one
 * text.
 */
export function openQueueDatabase(url: string, log: Log): QueueDatabase {
  const pool = openPool(url, log, 'queue', { max: 4, application_name: applicationName('queue') })
  return {
    executeSql: (text, values) => pool.query(text, values),
    async endJob(queue, { id, retryCount }) {
      await pool.query({ name: 'end_job', text: endedJobText, values: [queue, id, retryCount] })
    },
    close: () => pool.end(),
  }
}
