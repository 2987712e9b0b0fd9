import type { ArchiveLadder } from '#lib/verify/ladder.ts'
import type { About, Check, Report } from '#lib/verify/report.ts'

/** What a page asks of the worker: an archive, and what the reader compares it with. */
export type ToWorker = {
  file: Blob
  /** In hex or in words; undefined for the keys that this service publishes. */
  fingerprint: string | undefined
  /** The archive of the same organisation that was made directly before or after this one. */
  adjacent?: Blob | undefined
  /** The certificate of the time-stamping authority, in PEM. */
  authority?: Blob | undefined
  /** Keys of witnesses, separated by white space. */
  witness?: string | undefined
}

/** Messages of the worker: the share of bytes read, what the archive says of itself, each check, and the report or why there is none. */
export type FromWorker =
  | { share: number }
  | { about: About }
  | { check: Check }
  | { report: Report; ladder: ArchiveLadder | undefined }
  | { failed: string }
