import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'

/** Whether this process may mount a file system of its own: as root. */
export const mayMount = spawnSync('unshare', ['--mount', 'true']).status === 0

/** The file that fills a small disk. */
export const otherData = 'other-data'

/** Runs `work` with a file system of `size` mounted at `folder`. */
export async function withSmallDisk(folder: string, work: () => Promise<void>, size = '96m'): Promise<void> {
  await mkdir(folder, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'none', folder])
  try {
    await work()
  } finally {
    execFileSync('umount', [folder])
  }
}

/** Writes a file into a small disk until nothing more fits. */
export async function fill(folder: string): Promise<void> {
  const file = await open(join(folder, otherData), 'w')
  try {
    for (;;) await file.write(Buffer.alloc(4096))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    await file.close()
  }
}
