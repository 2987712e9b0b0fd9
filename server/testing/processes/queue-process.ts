import { openDatabase } from '#server/kernel/db/database.ts'
import { openListener } from '#server/kernel/db/listen.ts'
import { createLog } from '#server/kernel/log.ts'
import { openQueue } from '#server/kernel/queue.ts'

// A process that starts the jobs of one queue, prints their ids and never completes them. With FIRST, it also enqueues a job with this id,
// as the first one.

const { APP_URL = '', QUEUE = '', FIRST } = process.env

const log = createLog('silent')
const listener = openListener(APP_URL, log)
const queue = await openQueue(APP_URL, log, listener)
await queue.work([
  {
    queue: QUEUE,
    concurrency: 2,
    run: ({ id }) => {
      process.stdout.write(`${id}\n`)
      return new Promise(() => undefined)
    },
  },
])
if (FIRST !== undefined) {
  const database = openDatabase(APP_URL, log, { poolSize: 1, own: listener.own })
  await database.inDirectory((tx) => queue.enqueueFirst(tx, QUEUE, { tenantId: FIRST, id: FIRST }))
}
