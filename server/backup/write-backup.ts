import type { BackedUpMemory } from '#server/audit/sealing/memory/backed-up.ts'
import type { Chunk } from '#server/kernel/db/copy/dump.ts'
import { contentsDigest, type Description, descriptionFile, endFile } from './contents.ts'
import type { DataFile } from './data-files.ts'
import { tarEnd, tarHeader, tarPadding } from './tar.ts'

export type BackupSource = {
  description: Description
  files: AsyncIterable<DataFile>
  memories: AsyncIterable<{ tenantId: string } & BackedUpMemory>
  chunks: AsyncIterable<Chunk>
}

/** The bytes of the archive. `count` counts rows and files. */
export async function* writeBackup(
  { description, files, memories, chunks }: BackupSource,
  count: (what: 'rows' | 'files', number: number) => void,
): AsyncGenerator<Buffer> {
  const digest = contentsDigest()
  const whole = function* (name: string, text: string): Generator<Buffer> {
    const bytes = Buffer.from(text)
    digest.begin(name, bytes.length)
    digest.add(bytes)
    yield Buffer.concat([tarHeader(name, bytes.length), bytes, tarPadding(bytes.length)])
  }
  yield* whole(descriptionFile, `${JSON.stringify(description, null, 2)}\n`)
  for await (const { name, size, content } of files) {
    digest.begin(name, size)
    yield tarHeader(name, size)
    for await (const piece of content) {
      digest.add(piece)
      yield piece
    }
    yield tarPadding(size)
    count('files', 1)
  }
  for await (const { tenantId, memory, adopted } of memories) {
    if (memory !== undefined) yield* whole(`signer-memory/${tenantId}.json`, memory)
    if (adopted !== undefined) yield* whole(`signer-memory/${tenantId}.adopted.json`, adopted)
  }
  let number = 0
  for await (const { rows, ...of } of chunks) {
    number += 1
    const lines = [of, ...rows].map((line) => `${JSON.stringify(line)}\n`)
    yield* whole(`database/${of.table}/${number}.ndjson`, lines.join(''))
    count('rows', rows.length)
  }
  yield* whole(endFile, `${JSON.stringify({ sha256: digest.end() })}\n`)
  yield tarEnd
}
