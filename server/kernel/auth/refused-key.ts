import { ApiError } from '#lib/errors.ts'

/** The same message for every reason, so that a response does not reveal whether a key ever existed. */
export const refusedKey = (reason: string): ApiError =>
  new ApiError('unauthorized', 'The API key is unknown, expired or revoked.', { cause: new Error(reason) })
