import { statfs } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'

const memory = '/dev/shm'
/** What a run of all suites needs at most, with room for the processes. */
const bytesInMemory = 6 * 2 ** 30
const bytesFree = 10 * 2 ** 30

/**
 * The parent of files that need not outlive the run and are many: a file system in memory if the machine has one with enough
 * room, otherwise the folder for temporary files. On a disk, copying a database of 900 files takes seconds, because the file
 * system avoids what was just deleted.
 */
export async function parentOfManyFiles(): Promise<string> {
  try {
    const { bavail, bsize } = await statfs(memory)
    return bavail * bsize >= bytesInMemory && freemem() >= bytesFree ? memory : tmpdir()
  } catch {
    return tmpdir()
  }
}
