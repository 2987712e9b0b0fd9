import { ApiError } from '#lib/errors.ts'
import type { ExportStatus } from '#lib/schemas/evidence.ts'

/** Why an export without an archive has none: it is still being made, or it ended without. Both are 409. */
export const unfinished = (status: ExportStatus): ApiError =>
  status === 'failed' || status === 'canceled'
    ? new ApiError('conflict', `This export has no archive: it ended as ${status}.`, { details: { status } })
    : new ApiError('not_ready', `This export is not completed yet: it is ${status}.`, { details: { status } })
