import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
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
  return top
}
