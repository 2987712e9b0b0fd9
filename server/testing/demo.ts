import { once } from 'node:events'
import { basename, dirname, join } from 'node:path'
import { Client } from 'pg'
import { demoDatabase, type TestDatabase } from './database.ts'
import { startProcess } from './processes/start-process.ts'
import { until } from './until.ts'

/** Settings under which the demo has other keys, accounts or mails, or another clock. */
const withAnotherDemo = ['SEED_DEMO', 'MASTER_KEY', 'SMTP_URL', 'NODE_OPTIONS']

/**
 * The folder of the shared demo, if a server with these settings may find the demo instead of making it as it starts. Each day
 * has its own: the log and the archives of a day are about what happened on it, and suites expect the demo in them.
 */
export function sharedDemo(environment: Record<string, string>, toolServers: Record<string, unknown>) {
  const own = withAnotherDemo.some((name) => environment[name] !== undefined) || 'payments' in toolServers
  // At this level the test reads what the seed logs.
  const run = process.env.TEST_DEMO
  if (own || environment.LOG_LEVEL === 'trace' || run === undefined) return undefined
  return join(run, new Date().toISOString().slice(0, 10))
}

/**
 * A database with the demo in it, whose keys, credentials and calls are in `folder`. The first server of the day made it. Making
 * it takes as much processor time as several starts: a hash for each password, the tool server, the threads of the policies,
 * and the refund case.
 */
export const databaseWithDemo = (folder: string, settings: Record<string, string>): Promise<TestDatabase> =>
  demoDatabase({ run: basename(dirname(folder)), day: basename(folder) }, async (ownerUrl) => {
    const { child } = await startProcess({ ...settings, DATABASE_URL: ownerUrl })
    const owner = new Client({ connectionString: ownerUrl })
    await owner.connect()
    try {
      const waiting = () => owner.query(`select id from executions where status = 'waiting_approval'`)
      await until(async () => (await waiting()).rows[0], 'The execution that waits for jonas')
    } finally {
      await owner.end()
    }
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
