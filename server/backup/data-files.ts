import { createWriteStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CommandError } from '#server/command-line.ts'
import { copiedFiles, copiedFolders } from './contents.ts'
import { TarError, type TarFile } from './tar.ts'

/** A file of DATA_DIR by its name in a backup. */
export type DataFile = { name: string; size: number; content: AsyncIterable<Buffer> }

const prefix = 'data/'

/** The files of DATA_DIR. A file that was deleted in the meantime is left out; rows no longer need it. */
export async function* readDataFiles(dataDir: string): AsyncGenerator<DataFile> {
  for (const path of copiedFiles) yield* readDataFile(dataDir, path)
  for (const folder of copiedFolders)
    for (const path of await pathsBelow(join(dataDir, folder))) yield* readDataFile(dataDir, `${folder}/${path}`)
}

async function* readDataFile(dataDir: string, path: string): AsyncGenerator<DataFile> {
  const handle = await open(join(dataDir, path), 'r').catch(unlessMissing)
  if (handle === undefined) return
  try {
    const { size } = await handle.stat()
    // A name may have characters that tar would store in several ways.
    yield { name: prefix + encodeURI(path), size, content: contentOf(handle, path, size) }
  } finally {
    await handle.close()
  }
}

async function* contentOf(handle: FileHandle, path: string, size: number): AsyncGenerator<Buffer> {
  if (size === 0) return
  let read = 0
  for await (const piece of handle.createReadStream({ start: 0, end: size - 1, autoClose: false })) {
    read += piece.length
    yield piece
  }
  if (read !== size) throw new CommandError(`${path} became shorter while it was copied. Run the backup again.`)
}

async function pathsBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(unlessMissing)
  return (entries ?? [])
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.part'))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}

/** Removes what an interrupted restore has written. */
export async function clearDataFiles(dataDir: string): Promise<void> {
  for (const name of [...copiedFiles, ...copiedFolders]) await rm(join(dataDir, name), { recursive: true, force: true })
}

/** Writes a file of a backup to its place in DATA_DIR. False for a file that does not belong there. */
export async function restoreDataFile(dataDir: string, file: TarFile): Promise<boolean> {
  if (!file.name.startsWith(prefix)) return false
  const path = decodeURI(file.name.slice(prefix.length))
  const [first = '', ...rest] = path.split('/')
  const known = rest.length === 0 ? copiedFiles.some((name) => name === first) : isFolder(first)
  if (!known || path.includes('\0') || rest.some((part) => ['', '.', '..'].includes(part)))
    throw new TarError(`The backup has a file in an unexpected place: ${file.name}.`)
  const place = join(dataDir, path)
  await mkdir(dirname(place), { recursive: true, mode: 0o700 })
  await pipeline(
    Readable.from(file.content, { objectMode: false }),
    createWriteStream(place, { flags: 'wx', mode: 0o600, flush: true }),
  )
  return true
}

const isFolder = (name: string): boolean => copiedFolders.some((folder) => folder === name)

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
