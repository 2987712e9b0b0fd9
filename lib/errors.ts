/** Every error code of the API with its HTTP status. One table, so that a code never has two meanings. */
export const errorStatus = {
  bad_request: 400,
  validation_failed: 400,
  invalid_manifest: 400,
  invalid_policy: 400,
  tenant_required: 400,
  unauthorized: 401,
  forbidden: 403,
  tenant_access_denied: 403,
  separation_of_duties: 403,
  not_eligible: 403,
  machine_decision: 403,
  person_required: 403,
  passkey_required: 403,
  policy_denied: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  revision_conflict: 409,
  version_conflict: 409,
  name_conflict: 409,
  event_conflict: 409,
  wait_terminal: 409,
  already_decided: 409,
  already_voted: 409,
  digest_mismatch: 409,
  not_read: 409,
  no_eligible_approver: 409,
  last_admin: 409,
  external_identity: 409,
  policy_binding_required: 409,
  release_required: 409,
  agent_suspended: 409,
  not_ready: 409,
  runs_elsewhere: 409,
  gone: 410,
  payload_too_large: 413,
  address_too_long: 414,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  expectation_failed: 417,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  integrity_failed: 500,
  unavailable: 503,
} as const

export type ErrorCode = keyof typeof errorStatus

/** Codes after which the same request may be sent again unchanged. */
const retryable = new Set<ErrorCode>(['rate_limited', 'internal', 'unavailable'])

export const isRetryable = (code: ErrorCode): boolean => retryable.has(code)

export type Issue = { path: string; message: string; line?: number; column?: number }

/** Issues as one text: a sentence each, after the path of its field. */
export const issuesInWords = (issues: readonly Issue[]): string =>
  issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join(' ')

/**
 * An expected refusal. `message` is for the caller (no SQL, no data of others); `cause` is for the log.
 * `details` are further JSON members of the response, such as the current revision.
 */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly issues: Issue[] | undefined
  readonly details: Record<string, unknown> | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { issues?: Issue[]; details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.issues = options.issues
    this.details = options.details
  }

  get status(): number {
    return errorStatus[this.code]
  }
}

/**
 * The response for an object of another tenant and for one that never existed: the same bytes. `message` says which of
 * several was not found, in words that are the same for both.
 */
export const notFound = (message = 'Not found.'): ApiError => new ApiError('not_found', message)

export const agentNotFound = (): ApiError => notFound('No agent has this id.')
