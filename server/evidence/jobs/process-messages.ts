import { LogRefused } from '#server/audit/sealing/log-refused.ts'
import { LogBroken } from '#server/audit/sealing/read-day.ts'
import { ArchiveRefused } from '#server/evidence/archive/archive-refused.ts'
import type { Coverage } from '#server/evidence/archive/coverage.ts'
import { IntegrityFailed, type Tampered } from '#server/kernel/bound/integrity-failed.ts'
import type { Config } from '#server/kernel/config.ts'
import { type ClaimedExport, Superseded } from './export-claim.ts'
import type { MadeArchive } from './make-archive.ts'

/** What the server sends to the process of an export, over a channel that copies buffers and dates. */
export type Work = {
  /** Without the settings that only the server needs. */
  config: Config
  /** For the restricted role. */
  databaseUrl: string
  masterKeys: readonly Uint8Array[]
  run: ClaimedExport
  covered: Coverage
  path: string
  expected: number
}

/** `disk_full`: the scratch folder ran out of room. */
export type Failure =
  | { kind: 'superseded' | 'log_broken' | 'archive_refused' | 'disk_full' | 'other'; message: string }
  | { kind: 'row_tampered'; message: string; tampered: Tampered }

export type Answer = { made: MadeArchive } | { failed: Failure }

/** The disk is full, the account's share of it is, or the file would be larger than the system allows. */
const noRoom = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

export function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  if (error instanceof Superseded) return { kind: 'superseded', message: error.message }
  if (error instanceof LogBroken || error instanceof LogRefused) return { kind: 'log_broken', message: error.message }
  if (error instanceof ArchiveRefused) return { kind: 'archive_refused', message: error.message }
  if (error instanceof IntegrityFailed) return { kind: 'row_tampered', message, tampered: error.tampered }
  const { code } = error as NodeJS.ErrnoException
  return { kind: noRoom.has(code ?? '') ? 'disk_full' : 'other', message }
}

/** The failure as the error that the work itself would have thrown. */
export function errorOf(failure: Failure): Error {
  const { kind, message } = failure
  if (failure.kind === 'row_tampered') return new IntegrityFailed(failure.tampered)
  if (kind === 'superseded') return new Superseded(message)
  if (kind === 'log_broken') return new LogBroken(message)
  if (kind === 'archive_refused') return new ArchiveRefused(message)
  return new Error(message)
}
