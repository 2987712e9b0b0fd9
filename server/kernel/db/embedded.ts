import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { DATABASE } from './embedded/attachment.ts'
import { OWNER, ownerPassword } from './embedded/cluster.ts'
import { explain } from './embedded/failure.ts'
import { hold } from './embedded/hold.ts'
import { CLUSTER, findCluster } from './embedded/home.ts'
import { withLock } from './embedded/lock.ts'
import { findPostmaster } from './embedded/pid-file.ts'
import { makeDataDir, preparePlace } from './embedded/place.ts'

export { EmbeddedDatabaseError } from './embedded/failure.ts'

export type EmbeddedDatabase = {
  /** `postgres://` address of the application's database as its owner, a superuser; contains the password. */
  ownerUrl: string
  /** Absolute path of PostgreSQL's data directory. */
  directory: string
  /** Detaches this process, and stops the server if no other process is attached. End all other connections first. */
  release(): Promise<void>
}

/**
 * The PostgreSQL of `dataDir` as it is, for a command that changes nothing: `ownerUrl` while it runs. It is neither started nor kept
 * running, so connections may end at any time. Undefined if there is none yet. Throws if this account may not read the folder.
 */
export async function findEmbeddedDatabase(dataDir: string): Promise<{ ownerUrl: string | undefined } | undefined> {
  const folder = await realpath(dataDir).catch((error: unknown) => {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return undefined
    throw error
  })
  const cluster = folder === undefined ? undefined : await findCluster(folder)
  if (cluster === undefined) return undefined
  const port = (await findPostmaster(cluster))?.port
  return { ownerUrl: port === undefined ? undefined : urlOf(port, await ownerPassword(cluster)) }
}

const urlOf = (port: number, password: string) => `postgres://${OWNER}:${password}@127.0.0.1:${port}/${DATABASE}`

type Options = {
  /** The folder that contains the database, or a file with its location; created if missing. */
  dataDir: string
  /** Prints one line for the person who starts the server. */
  say(line: string): void
}

/**
 * Starts or joins the PostgreSQL of `dataDir`. Any number of processes may do so at any time: they share one server, it
 * survives each of them, and the last one to release it stops it. If it dies in between, it is started again on the
 * same port. Throws EmbeddedDatabaseError, whose message is one line for the person who starts the server.
 */
export async function openEmbeddedDatabase({ dataDir, say }: Options): Promise<EmbeddedDatabase> {
  try {
    const folder = await makeDataDir(dataDir)
    const locked = <T>(critical: () => Promise<T>) => withLock(join(folder, `${CLUSTER}.lock`), say, critical)
    return await locked(async () => {
      const place = await preparePlace(folder, say)
      const { port, release } = await hold({ place, say, locked })
      const password = await ownerPassword(place.cluster)
      return {
        ownerUrl: urlOf(port, password),
        directory: place.cluster,
        release,
      }
    })
  } catch (error) {
    throw explain(error, dataDir)
  }
}
