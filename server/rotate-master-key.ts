import type { Config } from '#server/kernel/config.ts'
import { openDatabase } from '#server/kernel/db/database.ts'
import { openEmbeddedDatabase } from '#server/kernel/db/embedded.ts'
import { holdStarts } from '#server/kernel/db/hold-starts.ts'
import { migrate } from '#server/kernel/db/migrate.ts'
import { beginFileRotation, finishFileRotation, loadMasterKeys } from '#server/kernel/keys/master-key.ts'
import { type Rewrapped, rewrapAll } from '#server/kernel/keys/rewrap.ts'
import { createLog } from '#server/kernel/log.ts'
import { createVault } from '#server/kernel/vault.ts'

/** A rotation that can't be done now; the message is one line for the operator. */
export class RotationError extends Error {}

/**
 * Puts everything that the master key protects under another one. With the key in DATA_DIR a new one is made, and no
 * server may run meanwhile: it would go on encrypting under the old one. With MASTER_KEY the operator has made it, and
 * MASTER_KEY_PREVIOUS opens what is still under the old one. Interrupted at any point, it is simply run again.
 */
export async function rotateMasterKey(config: Config, say: (line: string) => void): Promise<Rewrapped> {
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
        throw new RotationError('A server is running on this database: stop it, then rotate the master key.')
    }
    await refuseServer()
    const keys = await beginFileRotation(config.dataDir)
    const done = await rewrap(appUrl, config)
    // One that was just past the lock may have read the old key: then both stay until the next run.
    await refuseServer()
    await finishFileRotation(config.dataDir, keys)
    return done
  })
}

async function rewrap(appUrl: string, config: Config): Promise<Rewrapped> {
  const database = openDatabase(appUrl, createLog(config.logLevel), 1)
  try {
    return await rewrapAll(database, createVault(...(await loadMasterKeys(config))))
  } finally {
    await database.close()
  }
}
