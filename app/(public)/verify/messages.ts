import type { About, Check, Report } from '#lib/verify/report.ts'

/** What the page asks of the worker: an archive, and what the reader compares its key with. */
export type ToWorker = { file: Blob; fingerprint: string | undefined }

/** Messages of the worker: the share of bytes read, what the archive says of itself, each check, and the report or why there is none. */
export type FromWorker =
  | { share: number }
  | { about: About }
  | { check: Check }
  | { report: Report }
  | { failed: string }
