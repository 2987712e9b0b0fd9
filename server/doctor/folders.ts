import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { nameOf } from '#server/command-line.ts'
import type { Config } from '#server/kernel/config.ts'
import { unfinishedRestore } from '#server/kernel/db/copy/unfinished-restore.ts'
import { type Finding, failed, ok, reasonOf, warning } from './findings.ts'

const mebibyte = 1024 * 1024
/** Below the first the server fails soon: archives and files of executions are written here. */
const space = { least: 500 * mebibyte, enough: 5 * 1024 * mebibyte }

/** Whether the folders can be written, their mode, and the space on their disks. Creates nothing. */
export async function checkFolders({ dataDir, exportTmpDir }: Config): Promise<Finding[]> {
  const found: Finding[] = []
  for (const [name, path] of [
    ['DATA_DIR', dataDir],
    ['EXPORT_TMP_DIR', exportTmpDir],
  ] as const)
    found.push(...(await checkFolder(name, resolve(path))))
  const restore = await unfinishedRestore(dataDir)
  if (restore !== undefined)
    found.push(
      failed(
        'Folders',
        'DATA_DIR: a restore was interrupted.',
        `Run ${nameOf('restore')} with the same settings again.`,
      ),
    )
  return found
}

async function checkFolder(name: string, path: string): Promise<Finding[]> {
  const existing = await nearest(path)
  try {
    await access(existing, constants.W_OK | constants.X_OK)
  } catch (error) {
    return [
      failed(
        'Folders',
        `${name}: ${existing} can't be written (${reasonOf(error)}).`,
        'Give it to the server’s account.',
      ),
    ]
  }
  const { bavail, bsize } = await statfs(existing)
  const free = bavail * bsize
  const text = `${name}: ${path}, ${Math.floor(free / mebibyte)} MiB free`
  const advice = 'Free some space, or move the folder to a larger disk.'
  const found = [
    free < space.least
      ? failed('Folders', text, advice)
      : free < space.enough
        ? warning('Folders', text, advice)
        : ok('Folders', text),
  ]
  const { mode } = await stat(existing)
  // As root, the embedded database's account must get through to its own folder, which is all that it can do here.
  const others = process.getuid?.() === 0 ? 0o066 : 0o077
  if (existing === path && name === 'DATA_DIR' && (mode & others) !== 0)
    found.push(failed('Folders', `${name}: other accounts of this machine can open ${path}.`, `chmod 700 ${path}`))
  return found
}

/** The folder itself, or the nearest one above it that exists. */
async function nearest(path: string): Promise<string> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  )
  return exists || dirname(path) === path ? path : await nearest(dirname(path))
}
