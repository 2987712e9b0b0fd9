import { randomBytes } from 'node:crypto'
import { createWriteStream, openAsBlob } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { runtime } from '#server/kernel/runtime.ts'

const archivePath = (tenantId: string, exportId: string) =>
  join(runtime().config.dataDir, 'evidence', tenantId, `${exportId}.zip`)

/** The finished archive, for reading. Rejects when it is not on this machine. */
export const openArchive = (tenantId: string, exportId: string): Promise<FileHandle> =>
  open(archivePath(tenantId, exportId), 'r')

export type Draft = {
  out: Writable
  /** The written file, for reading. `out` has ended. */
  written(): Promise<Blob>
  /** Makes the written file durable and renames it to its final name, replacing an earlier one. `out` has ended. */
  publish(): Promise<void>
  /** Removes the written file, unless it was published. */
  discard(): Promise<void>
}

/** Creates an archive under a temporary name. Removes files of an earlier run of the same export. */
export async function openDraft(tenantId: string, exportId: string): Promise<Draft> {
  const path = archivePath(tenantId, exportId)
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of await readdir(folder))
    if (name.startsWith(`${exportId}.`) && name.endsWith('.part')) await rm(join(folder, name), { force: true })
  const part = join(folder, `${exportId}.${randomBytes(4).toString('hex')}.part`)
  const out = createWriteStream(part, { flags: 'wx', mode: 0o600 })
  return {
    out,
    written: () => openAsBlob(part),
    async publish() {
      await sync(part)
      await rename(part, path)
      // The name is durable only when its folder is.
      await sync(folder)
    },
    async discard() {
      out.destroy()
      await rm(part, { force: true })
    },
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
