import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { formatBytes } from '#lib/format.ts'
import { runtime } from '#server/kernel/runtime.ts'

// Where archives are written and verified before they are stored: EXPORT_TMP_DIR, one file for each run of an export.

/** What must stay free in addition to the archive. */
const reserve = 64 * 1024 * 1024

/** There is not enough room in the scratch folder. The message is for people who may see the export. */
export class NoSpace extends Error {
  override readonly name = 'NoSpace'
}

const separator = '.'

/** Creates the folder, removes what earlier runs of the export left there, and returns the path of a new file. */
export async function openScratch(tenantId: string, exportId: string, run: number): Promise<string> {
  const { exportTmpDir } = runtime().config
  await mkdir(exportTmpDir, { recursive: true, mode: 0o700 })
  await removeScratch(tenantId, exportId, { before: run })
  return join(exportTmpDir, [tenantId, exportId, run, 'zip'].join(separator))
}

/** The exports of a tenant with a file in the scratch folder of this machine. */
export async function listScratch(tenantId: string): Promise<string[]> {
  const names = await namesOf(tenantId)
  return [...new Set(names.map((one) => one.exportId))]
}

/** Removes the files of the export's runs, or only of those before one. */
export async function removeScratch(
  tenantId: string,
  exportId: string,
  { before = Number.POSITIVE_INFINITY } = {},
): Promise<void> {
  for (const one of await namesOf(tenantId))
    if (one.exportId === exportId && one.run < before)
      await rm(join(runtime().config.exportTmpDir, one.name), { force: true })
}

async function namesOf(tenantId: string): Promise<{ name: string; exportId: string; run: number }[]> {
  const names = await readdir(runtime().config.exportTmpDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names.flatMap((name) => {
    const [tenant, exportId, run] = name.split(separator)
    return tenant === tenantId && exportId !== undefined && run !== undefined
      ? [{ name, exportId, run: Number(run) }]
      : []
  })
}

/** Throws NoSpace when an archive of about `bytes` would not fit. */
export async function requireSpace(bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(runtime().config.exportTmpDir)
  const free = bavail * bsize
  if (free < bytes + reserve)
    throw new NoSpace(
      `The archive needs about ${formatBytes(bytes + reserve)} while it is made, and ${formatBytes(free)} are free in the server’s folder for that.`,
    )
}

/** A writable file that hashes what is written. `result` is available once it has ended; by then the file is durable. */
export async function hashingFile(
  path: string,
): Promise<{ out: Writable; result(): { bytes: number; sha256: string } }> {
  const handle: FileHandle = await open(path, 'wx', 0o600)
  const hash = createHash('sha256')
  let bytes = 0
  const out = new Writable({
    write(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      bytes += chunk.length
      handle.writeFile(chunk).then(() => done(), done)
    },
    final(done) {
      handle.sync().then(() => done(), done)
    },
    destroy(error, done) {
      handle.close().then(
        () => done(error),
        () => done(error),
      )
    },
  })
  return { out, result: () => ({ bytes, sha256: hash.digest('hex') }) }
}
