import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedDatabase } from '#server/kernel/db/embedded.ts'

/**
 * Starts one PostgreSQL for the whole run, unless TEST_DATABASE_URL names another. Each suite creates its databases on it.
 * Node's compile cache is shared by all servers that suites start: without it, each spends half of its processor time on
 * compiling the same modules.
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules/.cache/countersign-compiled')
  if (process.env.TEST_DATABASE_URL !== undefined) return undefined
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-test-db-'))
  // If started as root, the server runs under another account, which needs access to the folder.
  await chmod(dataDir, 0o711)
  const database = await openEmbeddedDatabase({ dataDir, say: () => undefined })
  process.env.TEST_DATABASE_URL = database.ownerUrl
  return async () => {
    await database.release()
    await rm(dataDir, { recursive: true, force: true })
  }
}
