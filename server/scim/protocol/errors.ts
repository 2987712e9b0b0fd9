import { ApiError, type ErrorCode } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json.ts'

export const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** RFC 7644, section 3.12, table 9. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'

/** A refusal with the `scimType` that tells a provider what to correct. */
export class ScimError extends ApiError {
  readonly scimType: ScimType | undefined
  readonly #status: number | undefined

  constructor(code: ErrorCode, message: string, { scimType, status }: { scimType?: ScimType; status?: number } = {}) {
    super(code, message)
    this.scimType = scimType
    this.#status = status
  }

  override get status(): number {
    return this.#status ?? super.status
  }
}

const badRequest = (scimType: ScimType) => (message: string) =>
  new ScimError('validation_failed', message, { scimType })

export const invalidFilter = badRequest('invalidFilter')
export const invalidPath = badRequest('invalidPath')
export const invalidSyntax = badRequest('invalidSyntax')
export const invalidValue = badRequest('invalidValue')
export const mutability = badRequest('mutability')
export const noTarget = badRequest('noTarget')

export const uniqueness = (message: string): ScimError =>
  new ScimError('name_conflict', message, { scimType: 'uniqueness' })

export const changedSince = (): ScimError =>
  new ScimError('revision_conflict', 'The resource changed after you read it. Read it again.', { status: 412 })

export const notImplemented = (message: string): ScimError => new ScimError('not_found', message, { status: 501 })

/** What the codes of the API mean in SCIM, for refusals of the kernel. */
const scimTypes: Partial<Record<ErrorCode, ScimType>> = {
  bad_request: 'invalidSyntax',
  validation_failed: 'invalidValue',
  name_conflict: 'uniqueness',
}

export function errorBody(
  error: unknown,
  { status, code, message }: { status: number; code: string; message: string },
): JsonObject {
  const scimType = error instanceof ScimError ? error.scimType : scimTypes[code as ErrorCode]
  return {
    schemas: [errorSchema],
    status: String(status),
    ...(scimType === undefined ? {} : { scimType }),
    detail: message,
  }
}
