import type { ExportProgress } from '#lib/schemas/evidence.ts'
import type { Bag } from '#server/evidence/archive/bag.ts'
import { setProgress } from '#server/evidence/store.ts'
import { runtime } from '#server/kernel/runtime.ts'
import type { ClaimedExport } from './export-claim.ts'

/** The progress is written at most this often. */
const everyMs = 1_000

export type Progress = {
  begin(progress: ExportProgress): Promise<void>
  /** Counts up within the stage; written now and then. */
  add(count: number): void
}

/** The progress of a run, which readers of the job see. A write that fails is left out: the next one has the newer count. */
export function progressOf({ tenant, row }: ClaimedExport): Progress {
  let current: ExportProgress | undefined
  let writtenAt = 0
  let writing = false
  const where = { tenantId: tenant.id, id: row.id, run: row.run }
  const write = (progress: ExportProgress, begins: boolean) =>
    runtime().database.inTenant(tenant.id, (tx) => setProgress(tx, where, progress, { begins }))
  return {
    async begin(progress) {
      // The stages that are also states of the export note their time with the state.
      const begins = progress.stage === 'storing' && current?.stage !== 'storing'
      current = { ...progress }
      writtenAt = Date.now()
      await write(current, begins)
    },
    add(count) {
      if (current === undefined) return
      current.done += count
      if (writing || Date.now() - writtenAt < everyMs) return
      writing = true
      writtenAt = Date.now()
      void write(current, false)
        .catch((error: unknown) => runtime().log.debug({ err: error }, 'the progress of an export was not written'))
        .finally(() => {
          writing = false
        })
    },
  }
}

/** The bag, with each line counted that goes in. */
export const countingLines = (bag: Bag, progress: Progress): Bag => ({
  ...bag,
  addFile: (path, content, options) => bag.addFile(path, counted(content, progress), options),
})

async function* counted(content: Parameters<Bag['addFile']>[1], progress: Progress) {
  for await (const piece of content) {
    if (typeof piece === 'string') progress.add(linesIn(piece))
    yield piece
  }
}

function linesIn(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++
  return count
}
