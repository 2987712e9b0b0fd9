import { constants, createReadStream } from 'node:fs'
import { copyFile, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { syncDirectory } from '#server/kernel/db/embedded/durable-file.ts'
import { runtime } from '#server/kernel/runtime.ts'
import type { ArchiveOf, ArchiveStore } from './archives.ts'
import { StoreFailed } from './store-failed.ts'

const folderOf = ({ tenantId }: ArchiveOf) => join(runtime().config.dataDir, 'evidence', tenantId)
const nameOf = ({ exportId }: ArchiveOf) => `${exportId}.zip`
const pathOf = (archive: ArchiveOf) => join(folderOf(archive), nameOf(archive))
/** Stored, but not published. */
const partOf = (archive: ArchiveOf) => join(folderOf(archive), `${archive.exportId}.${archive.run}.part`)

/** Archives in DATA_DIR/evidence, one folder for each tenant. The path is the same as in versions before 0066. */
export const folder: ArchiveStore = {
  placeFor: (archive) => `file:${nameOf(archive)}`,
  async store(_place, archive, { path, bytes, onBytes }, signal) {
    await answering(async () => {
      await mkdir(folderOf(archive), { recursive: true, mode: 0o700 })
      await moveInto(path, partOf(archive))
      await sync(partOf(archive))
    })
    signal.throwIfAborted()
    onBytes(bytes)
  },
  async publish(_place, archive) {
    await answering(async () => {
      await rename(partOf(archive), pathOf(archive))
      // The name is durable only when its folder is.
      await syncDirectory(folderOf(archive))
    })
  },
  open: (_place, archive, { start, end, size }) =>
    answering(async (): Promise<Readable> => {
      const found = await stat(pathOf(archive))
      if (found.size !== size) throw new StoreFailed(`The file has ${found.size} bytes instead of ${size}.`)
      const handle = await open(pathOf(archive), 'r')
      return createReadStream('', { fd: handle, start, end })
    }),
  async discard(_place, archive) {
    await answering(() => rm(partOf(archive), { force: true }))
  },
  async remove(_place, archive) {
    await answering(async () => {
      const names = await readdir(folderOf(archive)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return []
        throw error
      })
      const own = (name: string) =>
        name === nameOf(archive) || (name.startsWith(`${archive.exportId}.`) && name.endsWith('.part'))
      for (const name of names.filter(own)) await rm(join(folderOf(archive), name), { force: true })
    })
  },
}

/** Scratch may be on another file system, where a file can't be renamed to. */
async function moveInto(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    await copyFile(from, to, constants.COPYFILE_FICLONE)
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function answering<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StoreFailed) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new StoreFailed(`The folder of archives answered ${code ?? 'with an error'}.`, { cause: error })
  }
}
