import { archiveOf } from '#lib/verify/archive.ts'
import { openZip } from '#lib/verify/zip.ts'

const path = 'data/report.html'

/** The report for people in an archive; undefined for an archive of version 1. Throws Broken for a file that is not an archive. */
export async function reportIn(file: Blob): Promise<string | undefined> {
  const { entries } = await openZip(file)
  const archive = archiveOf(file, entries, undefined)
  return archive.has(path) ? await archive.text(path) : undefined
}
