import { createLog } from '#server/kernel/log.ts'
import { openQueue } from '#server/kernel/queue.ts'

// A process that starts the jobs of one queue, prints their ids and never completes them.

const { APP_URL = '', QUEUE = '' } = process.env

const queue = await openQueue(APP_URL, createLog('silent'))
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
