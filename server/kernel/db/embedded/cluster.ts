import { randomBytes } from 'node:crypto'
import { chown, lchown, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Account, run } from './account.ts'
import type { Binaries } from './binaries.ts'
import { syncDirectory, writeDurably } from './durable-file.ts'
import { EmbeddedDatabaseError, isDiskFull } from './failure.ts'
import { CLUSTER } from './home.ts'

/** The superuser of every embedded cluster; owns the application's database. */
export const OWNER = 'postgres'
const PASSWORD_FILE = 'owner-password'

/** Written to postgresql.conf once, where the operator may change them; fixed settings are in `postmaster.ts`. */
const SETTINGS = {
  max_connections: '200',
  shared_buffers: '128MB',
  password_encryption: 'scram-sha-256',
  timezone: 'UTC',
  log_timezone: 'UTC',
}

/**
 * Creates the cluster `<home>/pg18`, owned by `account`, with a random owner password. It is built in a temporary
 * folder and moved into place when it is complete and on disk, so an interrupted start leaves no cluster. Call it under
 * the start lock.
 */
export async function createCluster(home: string, account: Account | undefined, binaries: Binaries): Promise<void> {
  await removeUnfinished(home)
  const unfinished = join(home, `${CLUSTER}.new-${randomBytes(4).toString('hex')}`)
  const password = `${unfinished}-password`
  await mkdir(unfinished, { mode: 0o700 })
  await writeDurably(password, randomBytes(32).toString('base64url'))
  if (account) {
    for (const path of [unfinished, password]) await chown(path, account.uid, account.gid)
  }
  const { code, output } = await run(binaries.initdb, initdbArguments(unfinished, password), account)
  if (code !== 0) {
    const error = await initdbFailed(home, output)
    await removeUnfinished(home)
    throw error
  }
  await rename(password, join(unfinished, PASSWORD_FILE))
  await syncDirectory(unfinished)
  await rename(unfinished, join(home, CLUSTER))
  await syncDirectory(home)
}

const initdbArguments = (directory: string, passwordFile: string) => [
  `--pgdata=${directory}`,
  `--username=${OWNER}`,
  `--pwfile=${passwordFile}`,
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--data-checksums',
  '--no-instructions',
  ...Object.entries(SETTINGS).map(([name, value]) => `--set=${name}=${value}`),
]

async function initdbFailed(home: string, output: string): Promise<EmbeddedDatabaseError> {
  if (await isDiskFull(home, output)) return new EmbeddedDatabaseError(`The disk of ${home} is full.`)
  const reason = output.split('\n').find((line) => /error|fatal|could not/i.test(line)) ?? output.trim()
  return new EmbeddedDatabaseError(
    `The database could not be created in ${home} (${reason}). Fix that, or set DATABASE_URL.`,
  )
}

async function removeUnfinished(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (name.startsWith(`${CLUSTER}.new-`)) await rm(join(home, name), { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The owner's password of a cluster. Throws if this user may not read it. */
export async function ownerPassword(cluster: string): Promise<string> {
  return (await readFile(join(cluster, PASSWORD_FILE), 'utf8')).trim()
}

/** Gives a cluster that root owns, for example after restoring a backup, to the server's account. */
export async function giveTo(account: Account, cluster: string): Promise<void> {
  await chown(cluster, account.uid, account.gid)
  for (const entry of await readdir(cluster, { recursive: true, withFileTypes: true })) {
    await lchown(join(entry.parentPath, entry.name), account.uid, account.gid)
  }
}
