import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedDatabase } from '#server/kernel/db/embedded.ts'

/**
 * One PostgreSQL for the whole run, unless TEST_DATABASE_URL names another; suites make databases of their own on it. What Node has
 * compiled is kept for the many servers that suites start: each needs half of its processor time to compile the same modules.
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules/.cache/countersign-compiled')
  if (process.env.TEST_DATABASE_URL !== undefined) return undefined
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-test-db-'))
  // As root the server runs under another account, which must be able to enter.
  await chmod(dataDir, 0o711)
  const database = await openEmbeddedDatabase({ dataDir, say: () => undefined })
  process.env.TEST_DATABASE_URL = database.ownerUrl
  return async () => {
    await database.release()
    await rm(dataDir, { recursive: true, force: true })
  }
}
