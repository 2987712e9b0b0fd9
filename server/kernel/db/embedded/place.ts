import { mkdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Account, canEnter, serverAccount } from './account.ts'
import { type Binaries, usableBinaries } from './binaries.ts'
import { createCluster, giveTo } from './cluster.ts'
import { codeOf, EmbeddedDatabaseError } from './failure.ts'
import { CLUSTER, chooseHome, findHome, makeEnterable } from './home.ts'

/** Everything that starting a server requires: the cluster's folder, the account that runs it, and the programs. */
export type Place = { cluster: string; account: Account | undefined; binaries: Binaries }

/** Creates DATA_DIR if missing, so that the server's account can enter it; returns its absolute, real path. */
export async function makeDataDir(dataDir: string): Promise<string> {
  if (process.getuid?.() === 0) await makeEnterable(dataDir)
  else await mkdir(dataDir, { recursive: true, mode: 0o700 })
  return realpath(dataDir)
}

/** Finds the cluster of `dataDir`, or creates it. Call it under the start lock. */
export async function preparePlace(dataDir: string, say: (line: string) => void): Promise<Place> {
  const found = await findHome(dataDir)
  const owner = found ? await ownerOf(join(found, CLUSTER)) : undefined
  const account = await serverAccount(owner)
  const home = found ?? (await chooseHome(dataDir, account, say))
  const cluster = join(home, CLUSTER)
  if (account && home !== dataDir) {
    say(`The database is in ${home}, because PostgreSQL does not run as root and its account cannot enter ${dataDir}.`)
  }
  await checkAccess(cluster, account, owner)
  const binaries = await usableBinaries(home, account)
  if (!owner) {
    say(`Creating the database in ${cluster}.`)
    await createCluster(home, account, binaries)
  } else if (account && owner.uid === 0) {
    await giveTo(account, cluster)
  }
  return { cluster, account, binaries }
}

type Owner = { uid: number; gid: number }

async function ownerOf(cluster: string): Promise<Owner | undefined> {
  try {
    const { uid, gid } = await stat(cluster)
    return { uid, gid }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

async function checkAccess(cluster: string, account: Account | undefined, owner: Owner | undefined): Promise<void> {
  if (!account && owner && owner.uid !== process.getuid?.()) {
    throw new EmbeddedDatabaseError(
      `The database ${cluster} belongs to another user (uid ${owner.uid}). Start as that user, or set another DATA_DIR.`,
    )
  }
  if (account && !(await canEnter(account, join(cluster, '..')))) {
    throw new EmbeddedDatabaseError(
      `PostgreSQL's account (${account.name}) can no longer enter the folder of ${cluster}. Allow other accounts to enter the folders above it (chmod o+x).`,
    )
  }
}
