import { ApiError } from '#lib/errors.ts'
import type { ExportStatus } from '#lib/schemas/evidence.ts'

/** Returns the error for an export without an archive: it is still in progress, or ended without one. Both are 409. */
export const unfinished = (status: ExportStatus): ApiError =>
  status === 'failed' || status === 'canceled'
    ? new ApiError('conflict', `This export does not have an archive, because it ended with status ${status}.`, {
        details: { status },
      })
    : new ApiError('not_ready', `This export is not completed yet. Its status is ${status}.`, { details: { status } })
