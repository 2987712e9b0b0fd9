import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { askProcess } from '#server/evidence/jobs/child-process.ts'
import { storeOf } from '#server/evidence/places/place.ts'
import type { KeptArchive } from '#server/evidence/retention/archives-store.ts'
import { newId } from '#server/kernel/ids.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** What the process that searches is sent, and what it answers. */
export type Search = { path: string; subject: string }
export type Found = { found: boolean }

const never = new AbortController().signal

/**
 * Whether a text of the archive contains the subject, by the rule of the erasure itself. The archive is copied to the scratch
 * folder and searched by a process of its own, which gets the subject over its channel.
 */
export async function archiveHolds(tenantId: string, archive: KeptArchive, subject: string): Promise<boolean> {
  const { id, run, archivePlace, archiveBytes } = archive
  const { exportTmpDir } = runtime().config
  await mkdir(exportTmpDir, { recursive: true, mode: 0o700 })
  const path = join(exportTmpDir, `${newId()}.search`)
  try {
    const range = { start: 0, end: archiveBytes - 1, size: archiveBytes }
    const archived = { tenantId, exportId: id, run }
    await pipeline(
      await storeOf(archivePlace).open(archivePlace ?? '', archived, range),
      createWriteStream(path, { flags: 'wx', mode: 0o600 }),
    )
    const search: Search = { path, subject }
    const { found } = await askProcess<Found>(new URL('./search-process.ts', import.meta.url), search, never)
    return found
  } finally {
    await rm(path, { force: true })
  }
}
