import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Client } from 'pg'
import { openEmbeddedDatabase } from '#server/kernel/db/embedded.ts'
import { dropDemos } from './database.ts'
import { parentOfManyFiles } from './folder-in-memory.ts'

/**
 * Starts one PostgreSQL for the whole run, unless TEST_DATABASE_URL names another. Each suite creates its databases on it.
 * Node's compile cache is shared by all servers that suites start: without it, each spends half of its processor time on
 * compiling the same modules. They share the demo, too (demo.ts).
 */
export default async function setup(): Promise<() => Promise<void>> {
  // Each project of vitest.config.ts with these suites asks for it.
  if (process.env.TEST_DEMO !== undefined) return () => Promise.resolve()
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules/.cache/countersign-compiled')
  const demo = await mkdtemp(join(tmpdir(), 'countersign-demo-'))
  process.env.TEST_DEMO = demo
  const end = process.env.TEST_DATABASE_URL === undefined ? await startDatabase() : () => dropDemos(basename(demo))
  return async () => {
    await end()
    await rm(demo, { recursive: true, force: true })
  }
}

async function startDatabase(): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(await parentOfManyFiles(), 'countersign-test-db-'))
  // If started as root, the server runs under another account, which needs access to the folder.
  await chmod(dataDir, 0o711)
  const database = await openEmbeddedDatabase({ dataDir, say: () => undefined })
  await forgetful(database.ownerUrl)
  process.env.TEST_DATABASE_URL = database.ownerUrl
  return async () => {
    await database.release()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Nothing here outlives the run: commits need not wait for the disk. Suites that end a database have one of their own. */
async function forgetful(ownerUrl: string): Promise<void> {
  const owner = new Client({ connectionString: ownerUrl })
  await owner.connect()
  for (const setting of [`synchronous_commit = off`, `full_page_writes = off`, `checkpoint_timeout = '1h'`])
    await owner.query(`alter system set ${setting}`)
  await owner.query('select pg_reload_conf()')
  await owner.end()
}
