import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Makes the names in `directory` survive a power cut. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Replaces `file` with `text` (mode 0600) so that, after a power cut, it contains either the old text or all of the new
 * one.
 */
export async function writeDurably(file: string, text: string): Promise<void> {
  const unfinished = `${file}.new`
  const handle = await open(unfinished, 'w', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(unfinished, file)
  await syncDirectory(dirname(file))
}
