import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDirectory, writeDurably } from '#server/kernel/db/embedded/durable-file.ts'

/** The master keys of an installation, 32 bytes each: the first one encrypts, all of them decrypt. */
export type MasterKeys = readonly [current: Buffer, ...previous: Buffer[]]

/** The sources of the keys: settings of the process, in base64, take precedence over the file in DATA_DIR. */
type Source = { dataDir: string; masterKey: string | undefined; masterKeyPrevious: string | undefined }

const keyBytes = 32
export const masterKeyFile = (dataDir: string): string => join(dataDir, 'master.key')

/**
 * MASTER_KEY, otherwise DATA_DIR/master.key, which is created at the first start (mode 0600, synced before use). The
 * file contains one key per line, more than one during a rotation. MASTER_KEY_PREVIOUS decrypts, too. Throws for a file
 * without valid keys.
 */
export async function loadMasterKeys({ dataDir, masterKey, masterKeyPrevious }: Source): Promise<MasterKeys> {
  const [current, ...others] = masterKey === undefined ? await fileKeys(dataDir) : [Buffer.from(masterKey, 'base64')]
  const previous = masterKeyPrevious === undefined ? [] : [Buffer.from(masterKeyPrevious, 'base64')]
  return [current, ...others, ...previous]
}

/** Inserts a new key before the one in the file, unless an interrupted rotation has already done so. */
export async function beginFileRotation(dataDir: string): Promise<MasterKeys> {
  const keys = await fileKeys(dataDir)
  if (keys.length > 1) return keys
  const rotated: MasterKeys = [randomBytes(keyBytes), ...keys]
  await writeKeys(dataDir, rotated)
  return rotated
}

/** Removes all keys except the current one. Call it when nothing is encrypted under the others any more. */
export const finishFileRotation = (dataDir: string, [current]: MasterKeys): Promise<void> =>
  writeKeys(dataDir, [current])

const textOf = (keys: MasterKeys): string => `${keys.map((key) => key.toString('base64')).join('\n')}\n`

const writeKeys = (dataDir: string, keys: MasterKeys): Promise<void> =>
  writeDurably(masterKeyFile(dataDir), textOf(keys))

async function fileKeys(dataDir: string): Promise<MasterKeys> {
  const path = masterKeyFile(dataDir)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const existing = await readKeys(path)
  if (existing !== undefined) return existing
  const temporary = `${path}.${process.pid}`
  const file = await open(temporary, 'w', 0o600)
  await file.writeFile(textOf([randomBytes(keyBytes)]))
  await file.sync()
  await file.close()
  // Of two concurrent first starts one link wins, and both read the winner's key.
  await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await unlink(temporary)
  await syncDirectory(dataDir)
  const made = await readKeys(path)
  if (made === undefined) throw new Error(`${path} could not be written.`)
  return made
}

async function readKeys(path: string): Promise<MasterKeys | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const keys = text.split(/\s+/).filter((line) => line !== '')
  const [current, ...previous] = keys.map((line) => Buffer.from(line, 'base64'))
  if (current === undefined || [current, ...previous].some((key) => key.length !== keyBytes))
    throw new Error(`${path} must contain one key per line, each 32 bytes in base64.`)
  return [current, ...previous]
}
