import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { openPromise } from 'yauzl'

/** Extracts an archive into `folder` and returns the path of its only top folder. */
export async function extractArchive(bytes: Buffer, folder: string): Promise<string> {
  const zip = `${folder}.zip`
  await writeFile(zip, bytes)
  const archive = await openPromise(zip)
  let top = ''
  for await (const entry of archive.eachEntry()) {
    const path = join(folder, entry.fileName)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, await buffer(await archive.openReadStreamPromise(entry)))
    top = join(folder, entry.fileName.split('/')[0] ?? '')
  }
  await rm(zip)
  return top
}

/** Returns the payload files of an extracted archive: path below data/ → content, one character for each byte. */
export async function readPayload(top: string): Promise<Map<string, string>> {
  const data = join(top, 'data')
  const entries = await readdir(data, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return new Map(
    await Promise.all(
      paths.map(async (path): Promise<[string, string]> => [relative(data, path), await readFile(path, 'latin1')]),
    ),
  )
}

/** Returns the files of an extracted archive by their path below its top folder. */
export async function readArchiveFiles(top: string): Promise<Map<string, Buffer>> {
  const entries = (await readdir(top, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  return new Map(
    await Promise.all(
      entries.map(async (entry): Promise<[string, Buffer]> => {
        const path = join(entry.parentPath, entry.name)
        return [path.slice(top.length + 1), await readFile(path)]
      }),
    ),
  )
}

/** Writes such files below a folder, which it returns. */
export async function writeArchiveFiles(top: string, files: ReadonlyMap<string, Buffer>): Promise<string> {
  for (const [path, data] of files) {
    await mkdir(dirname(join(top, path)), { recursive: true })
    await writeFile(join(top, path), data)
  }
  return top
}
