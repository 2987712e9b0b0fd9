import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import type { Client } from 'pg'
import type { BackedUpMemory } from '#server/audit/sealing/memory/backed-up.ts'
import { CommandError, type Say } from '#server/command-line.ts'
import type { Config } from '#server/kernel/config.ts'
import type { Chunk } from '#server/kernel/db/copy/dump.ts'
import { CopyRefused, isEmpty, loadDatabase } from '#server/kernel/db/copy/load.ts'
import { findMark, setMark } from '#server/kernel/db/copy/mark.ts'
import { unfinishedRestore, unfinishedRestoreFile } from '#server/kernel/db/copy/unfinished-restore.ts'
import { syncDirectory, writeDurably } from '#server/kernel/db/embedded/durable-file.ts'
import { makeDataDir } from '#server/kernel/db/embedded/place.ts'
import { openEmbeddedDatabase } from '#server/kernel/db/embedded.ts'
import { connectOwner } from '#server/kernel/db/migrate.ts'
import { type Description, masterKeyCheck, textOf } from './contents.ts'
import { continueLogs } from './continue-logs.ts'
import { clearDataFiles, restoreDataFile } from './data-files.ts'
import { readIdentities } from './encryption.ts'
import { checkBackup, chunkOf, openContents } from './read-backup.ts'

export type RestoreOptions = {
  file: string
  /** A file with age identities. */
  identity: string | undefined
}

/** May be in DATA_DIR: a signer's memory that is newer than the backup counts, and is never replaced. */
const mayExist = 'signer-memory'

/**
 * Restores a backup into an empty DATA_DIR, and into the empty database of DATABASE_URL if it is set. Reads the whole backup
 * before it writes anything. After an interruption at any point, run it again; no server starts until then. Throws CommandError.
 */
export async function restoreBackup(config: Config, { file, identity }: RestoreOptions, say: Say): Promise<void> {
  const identities = identity === undefined ? [] : await readIdentities(identity)
  const { dataDir } = config
  const interrupted = await checkFolder(dataDir)
  const { description, masterKey } = await checkBackup(file, identities)
  checkMasterKey(config.masterKey ?? masterKey, description)
  say(`The backup of ${description.createdAt} is whole.`)
  const id = interrupted ?? randomUUID()
  // Checked before anything is created: a database that is in use must not get a mark, and DATA_DIR must stay empty.
  if (config.databaseUrl !== undefined) await withOwner(config.databaseUrl, (client) => checkDatabase(client, id))
  await (config.databaseUrl === undefined ? makeDataDir(dataDir) : mkdir(dataDir, { recursive: true, mode: 0o700 }))
  await writeDurably(unfinishedRestoreFile(dataDir), `${JSON.stringify({ id })}\n`)
  const embedded = config.databaseUrl === undefined ? await openEmbeddedDatabase({ dataDir, say }) : undefined
  const ownerUrl = config.databaseUrl ?? embedded?.ownerUrl ?? ''
  try {
    const memories = await withOwner(ownerUrl, async (client) => {
      await checkDatabase(client, id)
      await setMark(client, id)
      await clearDataFiles(dataDir)
      return await load(client, ownerUrl, { config, file, identities })
    })
    await continueLogs(config, description, memories, say)
    await withOwner(ownerUrl, (client) => setMark(client, undefined))
    await rm(unfinishedRestoreFile(dataDir))
    await syncDirectory(dataDir)
  } catch (error) {
    if (error instanceof CopyRefused) throw new CommandError(error.message)
    throw error
  } finally {
    await embedded?.release()
  }
}

/** The id of a restore that was interrupted in DATA_DIR; undefined if the folder is empty. */
async function checkFolder(dataDir: string): Promise<string | undefined> {
  const interrupted = await unfinishedRestore(dataDir)
  if (interrupted !== undefined) return interrupted
  const names = await readdir(dataDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const found = names.filter((name) => name !== mayExist)
  if (found.length > 0)
    throw new CommandError(
      `${dataDir} is not empty (${found.slice(0, 3).join(', ')}). Restore into an empty folder: set DATA_DIR to a new one.`,
    )
}

async function checkDatabase(client: Client, id: string): Promise<void> {
  if ((await isEmpty(client)) || (await findMark(client)) === id) return
  throw new CommandError('The database is not empty. Restore into an empty one: set DATABASE_URL to a new database.')
}

async function withOwner<T>(ownerUrl: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connectOwner(ownerUrl)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

type Loading = { config: Config; file: string; identities: readonly string[] }

/** Writes files and rows. Returns the signer's memories of the backup by tenant. */
async function load(
  client: Client,
  ownerUrl: string,
  { config, file, identities }: Loading,
): Promise<Map<string, BackedUpMemory>> {
  const { description, files } = await openContents(file, identities)
  const memories = new Map<string, BackedUpMemory>()
  const chunks = (async function* (): AsyncGenerator<Chunk> {
    for await (const entry of files) {
      const [, tenantId = '', adopted] = /^signer-memory\/([0-9a-f-]{36})(\.adopted)?\.json$/.exec(entry.name) ?? []
      if (entry.name.startsWith('database/')) yield await chunkOf(entry)
      else if (tenantId !== '') {
        const known = memories.get(tenantId) ?? { memory: undefined, adopted: undefined }
        const text = await textOf(entry)
        memories.set(tenantId, adopted === undefined ? { ...known, memory: text } : { ...known, adopted: text })
      } else if (!(config.masterKey !== undefined && entry.name === 'data/master.key'))
        if (!(await restoreDataFile(config.dataDir, entry)))
          throw new CommandError(`The backup has an unknown file: ${entry.name}.`)
    }
  })()
  await loadDatabase(client, ownerUrl, description.database, chunks)
  return memories
}

/** MASTER_KEY, or the key in the backup, is the key that the rows are encrypted with. */
function checkMasterKey(key: string | undefined, { id, masterKeyCheck: check }: Description): void {
  if (key === undefined)
    throw new CommandError(
      'The backup was made with MASTER_KEY, which it does not contain. Set MASTER_KEY to that key.',
    )
  if (masterKeyCheck(Buffer.from(key, 'base64'), id) !== check)
    throw new CommandError('MASTER_KEY is not the key that the backup was made with. Set it to that key.')
}
