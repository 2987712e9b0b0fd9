import { createHash } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Account, canEnter } from './account.ts'
import { writeDurably } from './durable-file.ts'
import { codeOf, EmbeddedDatabaseError } from './failure.ts'

/**
 * The cluster's folder in its home, named after the major version, because no other major version can read its files.
 */
export const CLUSTER = 'pg18'
/** In DATA_DIR: JSON `{home, dataDir}`, if the cluster is elsewhere. */
const POINTER = 'pg18-location.json'
const SYSTEM_HOME = '/var/lib/countersign'

type Pointer = { home: string; dataDir: string }

/**
 * The folder that contains the cluster of `dataDir` (an absolute, real path), if one has been chosen. Throws
 * EmbeddedDatabaseError if it has been chosen but no longer exists, or belongs to another DATA_DIR.
 */
export async function findHome(dataDir: string): Promise<string | undefined> {
  if (await isFolder(join(dataDir, CLUSTER))) return dataDir
  const pointer = await readPointer(dataDir)
  if (!pointer) return undefined
  const file = join(dataDir, POINTER)
  if (!(await isFolder(pointer.home))) {
    throw new EmbeddedDatabaseError(
      `The database of ${dataDir} was in ${pointer.home}, which no longer exists. Restore it, or delete ${dataDir} to start with a new database.`,
    )
  }
  if (pointer.dataDir !== dataDir) {
    if ((await readPointer(pointer.dataDir))?.home === pointer.home) {
      throw new EmbeddedDatabaseError(
        `${file} is a copy: its database belongs to ${pointer.dataDir}. Delete ${dataDir} to start with a new database.`,
      )
    }
    await writePointer(dataDir, pointer.home)
  }
  return pointer.home
}

/** The cluster of `dataDir`, if there is one, where `findHome` would find it. Writes nothing, also if the folder was moved. */
export async function findCluster(dataDir: string): Promise<string | undefined> {
  const homes = [dataDir, (await readPointer(dataDir))?.home]
  for (const home of homes) if (home !== undefined && (await isFolder(join(home, CLUSTER)))) return join(home, CLUSTER)
  return undefined
}

/**
 * Chooses and creates the folder for a new cluster: `dataDir` if the server's account can enter it; otherwise (root
 * with a private home) a folder under /var/lib/countersign, which `dataDir` then points to.
 */
export async function chooseHome(
  dataDir: string,
  account: Account | undefined,
  say: (line: string) => void,
): Promise<string> {
  if (!account || (await canEnter(account, dataDir))) return dataDir
  await makeEnterable(SYSTEM_HOME)
  const name = join(SYSTEM_HOME, createHash('sha256').update(dataDir).digest('hex').slice(0, 16))
  let home = name
  // An existing folder with that name belongs to an earlier DATA_DIR at this path and may still be needed.
  for (let number = 2; (await entries(home)).length > 0; number += 1) {
    say(`${home} contains the database of an earlier ${dataDir}. Delete it when it is no longer needed.`)
    home = `${name}-${number}`
  }
  await makeEnterable(home)
  if (!(await canEnter(account, home))) {
    throw new EmbeddedDatabaseError(
      `PostgreSQL's account ${account.name} can enter neither ${dataDir} nor ${home}. Start as another user, or set DATABASE_URL.`,
    )
  }
  await writePointer(dataDir, home)
  return home
}

/** Creates a folder that every account can enter but not list, regardless of the umask. */
export async function makeEnterable(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true })
  if (made) await chmod(folder, 0o711)
}

async function readPointer(dataDir: string): Promise<Pointer | undefined> {
  try {
    return JSON.parse(await readFile(join(dataDir, POINTER), 'utf8'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

const writePointer = (dataDir: string, home: string) =>
  writeDurably(join(dataDir, POINTER), `${JSON.stringify({ home, dataDir } satisfies Pointer)}\n`)

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

async function entries(folder: string): Promise<string[]> {
  return (await isFolder(folder)) ? readdir(folder) : []
}
