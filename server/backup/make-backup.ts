import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { link, lstat, readFile, rm, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Client } from 'pg'
import { backedUpMemories } from '#server/audit/sealing/memory/backed-up.ts'
import { CommandError, type Say } from '#server/command-line.ts'
import type { Config } from '#server/kernel/config.ts'
import { openDump } from '#server/kernel/db/copy/dump.ts'
import { refuseUnfinishedRestore } from '#server/kernel/db/copy/unfinished-restore.ts'
import { syncDirectory } from '#server/kernel/db/embedded/durable-file.ts'
import { findHome } from '#server/kernel/db/embedded/home.ts'
import { openEmbeddedDatabase } from '#server/kernel/db/embedded.ts'
import { connectOwner, unappliedMigrations } from '#server/kernel/db/migrate.ts'
import { loadMasterKeys, masterKeyFile } from '#server/kernel/keys/master-key.ts'
import { masterKeyCheck } from './contents.ts'
import { readDataFiles } from './data-files.ts'
import { encryptTo } from './encryption.ts'
import { writeBackup } from './write-backup.ts'

export type BackupOptions = {
  file: string
  /** age recipients; none: the backup is not encrypted. */
  recipients: readonly string[]
}

/**
 * Writes a backup of an installation, with or without a running server. The file gets its name when it is complete and on disk.
 * Throws CommandError and UsageError.
 */
export async function makeBackup(config: Config, { file, recipients }: BackupOptions, say: Say): Promise<void> {
  const encrypt = recipients.length === 0 ? async (source: Readable) => source : encryptTo(recipients)
  await refuseUnfinishedRestore(config.dataDir)
  if (await lstat(file).catch(() => undefined)) throw new CommandError(`${file} exists. Choose another name.`)
  await statfs(dirname(resolve(file))).catch(() => {
    throw new CommandError(`The folder of ${file} does not exist.`)
  })
  if (config.databaseUrl === undefined && (await findHome(resolve(config.dataDir))) === undefined)
    throw new CommandError(`${config.dataDir} does not contain a database.`)
  const embedded =
    config.databaseUrl === undefined ? await openEmbeddedDatabase({ dataDir: config.dataDir, say }) : undefined
  const unfinished = `${file}.unfinished`
  let client: Client | undefined
  try {
    client = await connectOwner(config.databaseUrl ?? embedded?.ownerUrl ?? '')
    const missing = await unappliedMigrations(client)
    if (missing > 0)
      throw new CommandError(
        'The database belongs to another version of Countersign. Make the backup with the version that the server runs.',
      )
    const counts = { rows: 0, files: 0 }
    const archive = Readable.from(
      writeBackup(await sourceOf(client, config), (what, number) => {
        counts[what] += number
      }),
      { objectMode: false },
    )
    const zipped = createGzip()
    await Promise.all([
      pipeline(archive, zipped),
      pipeline(await encrypt(zipped), createWriteStream(unfinished, { flags: 'w', mode: 0o600, flush: true })),
    ])
    // A link, because rename() would replace a file that was created since.
    await link(unfinished, file)
    await syncDirectory(dirname(resolve(file)))
    say(`${file} contains ${counts.rows} rows and ${counts.files} files.`)
  } finally {
    await rm(unfinished, { force: true })
    await client?.end()
    await embedded?.release()
  }
}

async function sourceOf(client: Client, config: Config) {
  const key = await storedMasterKey(config)
  const [masterKey] = await loadMasterKeys(config)
  const { tenants, shape, chunks } = await openDump(client)
  const id = randomUUID()
  return {
    description: {
      type: 'countersign-backup-v1' as const,
      id,
      createdAt: new Date().toISOString(),
      database: shape,
      tenants,
      masterKeyCheck: masterKeyCheck(masterKey, id),
    },
    files: readDataFiles(config.dataDir),
    memories: backedUpMemories(config, tenants),
    chunks: (async function* () {
      yield* chunks()
      if ((await storedMasterKey(config)) !== key)
        throw new CommandError('The master key was replaced in the meantime. Run the backup again.')
    })(),
  }
}

const storedMasterKey = (config: Config): Promise<string | undefined> =>
  readFile(masterKeyFile(config.dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
