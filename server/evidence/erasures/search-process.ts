// The process that searches one archive for the subject of an erasure, so that gigabytes are not read in the server's.
import type { JsonValue } from '#lib/json.ts'
import type { Source } from '#lib/verify/container/source.ts'
import { openZip, pieces } from '#lib/verify/container/zip.ts'
import { openFile } from '#lib/verify/programs/file.ts'
import { type Finder, finderOf, withoutSubject } from '#server/kernel/content/subject.ts'
import type { Found, Search } from './search-archive.ts'

/** Hashes, and the pages and programs that are the same in every archive. */
const skipped = /\.leaves$|(^|\/)(verify\.(html|mjs)|bagit\.txt|README\.txt)$/

async function search({ path, subject }: Search): Promise<Found> {
  const file = await openFile(path)
  return await searchIn(file, subject).finally(file.close)
}

async function searchIn(file: Source, subject: Search['subject']): Promise<Found> {
  const holds = finderOf(subject)
  const { entries } = await openZip(file)
  for (const entry of entries.values()) {
    if (skipped.test(entry.name)) continue
    for await (const line of linesOf(pieces(file, entry))) if (isIn(line, holds)) return { found: true }
  }
  return { found: false }
}

/** A line of a file is a JSON value, except in the few files of plain text. */
function isIn(line: string, holds: Finder): boolean {
  if (holds(line)) return true
  // Bytes are base64 in JSON and have to be decoded, as in the erasure itself.
  return line.includes('"$base64"') && withoutSubject(JSON.parse(line) as JsonValue, holds).texts > 0
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  yield rest
}

process.on('disconnect', () => process.exit(1))
process.once('message', (message: Search) => {
  search(message).then(
    (answer) => process.send?.(answer, () => process.exit(0)),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
      process.exit(1)
    },
  )
})
