import type { Config } from '#server/kernel/config.ts'
import { refuseUnfinishedRestore } from '#server/kernel/db/copy/unfinished-restore.ts'
import { openDatabase } from '#server/kernel/db/database.ts'
import { openEmbeddedDatabase } from '#server/kernel/db/embedded.ts'
import { holdStarts } from '#server/kernel/db/hold-starts.ts'
import { migrate } from '#server/kernel/db/migrate.ts'
import { beginFileRotation, finishFileRotation, loadMasterKeys } from '#server/kernel/keys/master-key.ts'
import { type Rewrapped, rewrapAll } from '#server/kernel/keys/rewrap.ts'
import { createLog } from '#server/kernel/log.ts'
import { createVault } from '#server/kernel/vault.ts'

/** A rotation that can't run now; the message is one line for the operator. */
export class RotationError extends Error {}

/**
 * Encrypts everything that the master key protects under another key. With the key in DATA_DIR, this creates the new
 * key, and no server may run in the meantime, because it would continue to encrypt under the old one. With MASTER_KEY,
 * the operator has created the new key, and MASTER_KEY_PREVIOUS decrypts values that are still encrypted with the old one. After an
 * interruption at any point, run it again.
 */
export async function rotateMasterKey(config: Config, say: (line: string) => void): Promise<Rewrapped> {
  await refuseUnfinishedRestore(config.dataDir)
  if (config.databaseUrl !== undefined) return await rotateOn(config.databaseUrl, config)
  const embedded = await openEmbeddedDatabase({ dataDir: config.dataDir, say })
  try {
    return await rotateOn(embedded.ownerUrl, config)
  } finally {
    await embedded.release()
  }
}

async function rotateOn(ownerUrl: string, config: Config): Promise<Rewrapped> {
  const [masterKey] = await loadMasterKeys(config)
  return await holdStarts(ownerUrl, await migrate(ownerUrl, masterKey), async ({ appUrl, serverRunning }) => {
    if (config.masterKey !== undefined) return await rewrap(appUrl, config)
    const refuseServer = async () => {
      if (await serverRunning())
        throw new RotationError('A server is running on this database. Stop it, then rotate the master key.')
    }
    await refuseServer()
    const keys = await beginFileRotation(config.dataDir)
    const done = await rewrap(appUrl, config)
    // A server that had just passed the lock may have read the old key: in that case both keys stay until the next run.
    await refuseServer()
    await finishFileRotation(config.dataDir, keys)
    return done
  })
}

async function rewrap(appUrl: string, config: Config): Promise<Rewrapped> {
  const database = openDatabase(appUrl, createLog(config.logLevel), { poolSize: 1 })
  try {
    return await rewrapAll(database, createVault(...(await loadMasterKeys(config))))
  } finally {
    await database.close()
  }
}
