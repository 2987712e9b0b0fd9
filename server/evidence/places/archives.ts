import type { Readable } from 'node:stream'

/** Which archive: each run of an export stores its own, and at most one of them is published. */
export type ArchiveOf = { tenantId: string; exportId: string; run: number }

/** Where finished archives are kept. A place is a text that the export's row keeps; its scheme names the store. */
export type ArchiveStore = {
  placeFor(archive: ArchiveOf): string
  /**
   * Copies the file into the store, whole and durable or not at all, where it is not read yet. Throws StoreFailed. Rejects
   * with the signal's reason when it aborts.
   */
  store(place: string, archive: ArchiveOf, file: ArchiveFile, signal: AbortSignal): Promise<void>
  /** Makes the stored archive the one that `open` reads. Called under the lock of the export's row. */
  publish(place: string, archive: ArchiveOf): Promise<void>
  /** Opens bytes `start` to `end`, both included. Throws StoreFailed; also for an archive of another size. */
  open(place: string, archive: ArchiveOf, range: { start: number; end: number; size: number }): Promise<Readable>
  /** Removes what this run has stored and not published. Throws StoreFailed. */
  discard(place: string, archive: ArchiveOf): Promise<void>
  /** Deletes the archive and what an interrupted run left of it. Does nothing when there is none. Throws StoreFailed. */
  remove(place: string, archive: ArchiveOf): Promise<void>
}

/** `sha256`: 64 hex digits. */
export type ArchiveFile = { path: string; bytes: number; sha256: string; onBytes(stored: number): void }
