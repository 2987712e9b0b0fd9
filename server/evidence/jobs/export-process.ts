// The process that makes one archive, so that neither its memory nor its processor time is the server's. The server sends the
// work over the channel, with the address of the database and the keys, which therefore appear in no list of processes.
import { flushCompileCache } from 'node:module'
import { openDatabase } from '#server/kernel/db/database.ts'
import { createLog } from '#server/kernel/log.ts'
import { setRuntime } from '#server/kernel/runtime.ts'
import { createVault } from '#server/kernel/vault.ts'
import { makeArchive } from './make-archive.ts'
import { type Answer, failureOf, type Work } from './process-messages.ts'

// Of the three, one reads, one checks that the export is still this run's, and one writes the progress.
const connections = 3

const elsewhere = () => Promise.reject(new Error('The process of an export can’t enqueue.'))

async function work({ config, databaseUrl, masterKeys, run, covered, path, expected }: Work): Promise<Answer> {
  const log = createLog(config.logLevel)
  const database = openDatabase(databaseUrl, log, { poolSize: connections })
  const [current, ...previous] = masterKeys.map((key) => Buffer.from(key))
  if (current === undefined) throw new Error('The work contains no key.')
  setRuntime({
    config,
    log,
    database,
    vault: createVault(current, ...previous),
    listener: { on: () => () => undefined, close: () => Promise.resolve() },
    queue: {
      enqueue: elsewhere,
      enqueueFirst: elsewhere,
      work: elsewhere,
      drain: elsewhere,
      close: () => Promise.resolve(),
    },
    mcpServers: {},
    trustedIssuers: [],
  })
  try {
    return { made: await makeArchive(run, covered, path, expected) }
  } catch (error) {
    return { failed: failureOf(error) }
  } finally {
    await database.close()
  }
}

// The server is gone, and another one will start the archive again.
process.on('disconnect', () => process.exit(1))
process.once('message', (message: Work) => {
  work(message).then(
    (answer) => {
      // Before the answer, after which the server ends this process. A second process then need not compile its program.
      flushCompileCache()
      process.send?.(answer, () => process.exit(0))
    },
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
      process.exit(1)
    },
  )
})
