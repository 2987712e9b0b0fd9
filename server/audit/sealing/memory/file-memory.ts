import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDirectory } from '#server/kernel/db/embedded/durable-file.ts'
import type { MemoryStore, StoredMemory } from './memory-store.ts'

// DATA_DIR/signer-memory/<tenant id>/<number>.json, where the largest number counts. A new version is a new name, which only
// one process can take: link() fails if it exists. So no lock is needed, and none remains after a crash.

const nameOf = (number: number): string => `${number}.json`

/** The signer's memory in a folder of this machine. */
export function fileMemory(dataDir: string): MemoryStore {
  const folderOf = (tenantId: string) => join(dataDir, 'signer-memory', tenantId)
  return {
    async read(tenantId) {
      const folder = folderOf(tenantId)
      for (;;) {
        const [latest] = await versions(folder)
        if (latest === undefined) return undefined
        const text = await readFile(join(folder, nameOf(latest)), 'utf8').catch(unlessMissing)
        // Undefined: a newer version has replaced it since.
        if (text !== undefined) return { text, version: String(latest) } satisfies StoredMemory
      }
    },
    async write(tenantId, text, replaces) {
      const folder = folderOf(tenantId)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const number = replaces === undefined ? 1 : Number(replaces) + 1
      if (!(await place(folder, number, text))) return false
      const [latest = number, ...older] = await versions(folder)
      if (latest > number) {
        // It was replaced already by others when this process took the name, which they had deleted.
        await rm(join(folder, nameOf(number)), { force: true })
        return false
      }
      await syncDirectory(folder)
      for (const old of older) await rm(join(folder, nameOf(old)), { force: true })
      return true
    },
  }
}

/** The stored versions, the latest first. */
async function versions(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch(unlessMissing)
  return (names ?? [])
    .map((name) => Number(/^([1-9]\d{0,14})\.json$/.exec(name)?.[1] ?? 0))
    .filter((number) => number > 0)
    .sort((a, b) => b - a)
}

/** Writes the file whole under its name. False if the name is taken. */
async function place(folder: string, number: number, text: string): Promise<boolean> {
  const unfinished = join(folder, `${randomUUID()}.new`)
  try {
    const handle = await open(unfinished, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await link(unfinished, join(folder, nameOf(number)))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(unfinished, { force: true })
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
