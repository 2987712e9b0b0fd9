import { ApiError } from '#lib/errors.ts'
import type { ExportStatus } from '#lib/schemas/evidence.ts'

/** Why an export without an archive has none: it is still being made, or it ended without. Both are 409. */
export const unfinished = (status: ExportStatus): ApiError =>
  status === 'failed' || status === 'canceled'
    ? new ApiError('conflict', `This export does not have an archive, because it ended with status ${status}.`, {
        details: { status },
      })
    : new ApiError('not_ready', `This export is not completed yet. Its status is ${status}.`, { details: { status } })
