import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '#server/kernel/config.ts'

/** In DATA_DIR while a restore fills it: JSON `{id}`. */
export const unfinishedRestoreFile = (dataDir: string): string => join(dataDir, 'restore-unfinished.json')

/** The id of the restore that was interrupted in this DATA_DIR; undefined if none was. */
export async function unfinishedRestore(dataDir: string): Promise<string | undefined> {
  const text = await readFile(unfinishedRestoreFile(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return text === undefined ? undefined : String(JSON.parse(text).id)
}

/** Throws ConfigError: a server would create a new installation where half of another one is. */
export async function refuseUnfinishedRestore(dataDir: string): Promise<void> {
  if ((await unfinishedRestore(dataDir)) !== undefined)
    throw new ConfigError(
      `DATA_DIR: a restore into ${dataDir} was interrupted. Run npm run restore with the same settings again, or delete the folder.`,
    )
}
