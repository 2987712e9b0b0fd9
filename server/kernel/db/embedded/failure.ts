import { statfs } from 'node:fs/promises'

const WAL_SEGMENT_BYTES = 16 * 1024 * 1024

/**
 * The reason why the embedded PostgreSQL is not available: one line for the person who starts the server; details in
 * `cause`.
 */
export class EmbeddedDatabaseError extends Error {
  override name = 'EmbeddedDatabaseError'
}

/** The `code` of a failed system call or of a PostgreSQL error, if `error` has one. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** `error` as one line for the person who starts the server; `place` is the folder concerned. */
export function explain(error: unknown, place: string): unknown {
  const meaning = {
    EACCES: 'this user may not read or write it',
    EPERM: 'this user may not change it',
    EROFS: 'it is on a read-only file system',
    ENOSPC: 'the disk is full',
    EDQUOT: 'the disk quota is used up',
    ENOTDIR: 'part of its path is a file',
    EEXIST: 'it is a file, but must be a folder',
  }[codeOf(error) ?? '']
  if (error instanceof EmbeddedDatabaseError || !meaning || !(error instanceof Error)) return error
  const path = 'path' in error && typeof error.path === 'string' ? error.path : place
  return new EmbeddedDatabaseError(`The database cannot use ${path}: ${meaning}.`, { cause: error })
}

/**
 * Whether a PostgreSQL program failed because the disk is full: according to its output, or because `place` has less
 * free space than one WAL segment.
 */
export async function isDiskFull(place: string, output: string): Promise<boolean> {
  if (/No space left on device|Disk quota exceeded/.test(output)) return true
  const { bavail, bsize } = await statfs(place)
  return bavail * bsize < WAL_SEGMENT_BYTES
}
