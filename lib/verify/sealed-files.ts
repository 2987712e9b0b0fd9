import type { Archive } from './archive.ts'
import { Broken, type Json, member } from './bytes.ts'
import { linesOfText, listText, readListed } from './seal.ts'

/**
 * The archive with each file below data/ compared, before it is read, with the digest that the seal covers; `manifest` is its
 * manifest, whose signature was checked. For another archive, of which only a few files are read.
 */
export async function sealedFiles(archive: Archive, manifest: Json): Promise<Archive> {
  const list = 'manifest-sha256.txt'
  if (member(manifest, 'payloadManifestSha256') !== (await archive.digest(list)).sha256)
    throw new Broken('The signed manifest of the other archive refers to a different list of files.')
  const digests = new Map<string, string>()
  for (const line of linesOfText(await listText(archive, list))) {
    const { path, listed } = readListed(line, list)
    digests.set(path, listed)
  }
  const unchanged = async (path: string) => {
    if (!path.startsWith('data/')) return
    const { sha256 } = await archive.digest(path)
    if (digests.get(path) !== sha256) throw new Broken(`${path} of the other archive was changed.`)
  }
  return {
    ...archive,
    async bytes(path, limit) {
      await unchanged(path)
      return await archive.bytes(path, limit)
    },
    async text(path, limit) {
      await unchanged(path)
      return await archive.text(path, limit)
    },
    async *linesIn(path) {
      await unchanged(path)
      yield* archive.linesIn(path)
    },
    async *pieces(path) {
      await unchanged(path)
      yield* archive.pieces(path)
    },
  }
}
