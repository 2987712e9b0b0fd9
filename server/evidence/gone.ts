import { ApiError } from '#lib/errors.ts'
import type { StoredExport } from './store.ts'

const why = {
  retention_expired: 'The organisation’s retention of archives deleted this archive',
  erased: 'An erasure deleted this archive, because it contained the erased data',
}

/** The error for an archive that was deleted, 410 with the reason; undefined while it exists. */
export function archiveIsGone({ archiveGone, archiveGoneAt }: StoredExport): ApiError | undefined {
  if (archiveGone === null || archiveGoneAt === null) return undefined
  const at = archiveGoneAt.toISOString()
  return new ApiError(
    'gone',
    `${why[archiveGone]} on ${at.slice(0, 10)}. The job, its manifest and its digests are kept.`,
    {
      details: { reason: archiveGone, at },
    },
  )
}
