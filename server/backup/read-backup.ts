import { CommandError } from '#server/command-line.ts'
import type { Chunk } from '#server/kernel/db/copy/dump.ts'
import { contentsDigest, type Description, descriptionFile, endFile, textOf } from './contents.ts'
import { openBackup } from './encryption.ts'
import { readTar, type TarFile } from './tar.ts'

/**
 * The files of a backup after its description, in their order: read each to its end. Throws CommandError at the end unless the
 * whole file is as it was written.
 */
export async function openContents(
  path: string,
  identities: readonly string[],
): Promise<{ description: Description; files: AsyncGenerator<TarFile> }> {
  const archive = checkedFiles(path, identities)
  const first = await archive.next()
  if (first.done || first.value.name !== descriptionFile) throw new CommandError(`${path} is not a backup.`)
  const description = parseDescription(path, await textOf(first.value))
  if (description.type !== 'countersign-backup-v1')
    throw new CommandError(`${path} was made by a version that this one does not know: ${description.type}.`)
  return { description, files: archive }
}

function parseDescription(path: string, text: string): Description {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw unreadable(path, error)
  }
}

async function* checkedFiles(path: string, identities: readonly string[]): AsyncGenerator<TarFile> {
  const digest = contentsDigest()
  let ended = false
  try {
    for await (const file of readTar(await openBackup(path, identities))) {
      if (file.name === endFile) {
        ended = true
        if (JSON.parse(await textOf(file)).sha256 !== digest.end())
          throw new CommandError(`${path} was altered: its contents do not have the digest that it states.`)
        continue
      }
      digest.begin(file.name, file.size)
      const content = digested(path, file.content, digest.add)
      yield { ...file, content }
      // Unread content counts, too.
      for await (const _piece of content);
    }
    if (!ended) throw new CommandError(`${path} was altered: its end is missing.`)
  } catch (error) {
    throw unreadable(path, error)
  }
}

function unreadable(path: string, error: unknown): CommandError {
  if (error instanceof CommandError) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new CommandError(`${path} was cut or altered: ${reason.replace(/\.$/, '')}.`)
}

async function* digested(
  path: string,
  content: AsyncIterable<Buffer>,
  add: (bytes: Buffer) => void,
): AsyncGenerator<Buffer> {
  const pieces = content[Symbol.asyncIterator]()
  for (;;) {
    const next = await pieces.next().catch((error: unknown) => {
      throw unreadable(path, error)
    })
    if (next.done) return
    add(next.value)
    yield next.value
  }
}

/** Reads all of a backup. Returns its description, and its master key if it contains one. Throws CommandError unless it is whole. */
export async function checkBackup(
  path: string,
  identities: readonly string[],
): Promise<{ description: Description; masterKey: string | undefined }> {
  const { description, files } = await openContents(path, identities)
  let masterKey: string | undefined
  for await (const file of files) {
    if (file.name === 'data/master.key') [masterKey] = (await textOf(file)).split('\n')
    else for await (const _piece of file.content);
  }
  return { description, masterKey }
}

/** The rows in a file of a backup. */
export async function chunkOf(file: TarFile): Promise<Chunk> {
  const [of = '', ...rows] = (await textOf(file)).trimEnd().split('\n')
  return { ...JSON.parse(of), rows: rows.map((row) => JSON.parse(row)) }
}
