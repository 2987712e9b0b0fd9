import { type ErrorCode, errorStatus, type Issue, isRetryable } from './errors.ts'

/** Codes of the API, and codes for failures without a response. */
export type FailureCode =
  | ErrorCode
  /** The request or its response was lost: whether it took effect is unknown. */
  | 'network'
  /** The response did not arrive in time: whether the request took effect is unknown. */
  | 'timeout'
  /** A response that isn't the API's, for example a proxy's page. */
  | 'unreadable'
  /** The person canceled, or their device offered no passkey: nothing was sent. */
  | 'no_passkey'
  /** A part of the console could not be loaded: nothing was sent. */
  | 'not_loaded'

/** Why a request failed, in one form for procedures, REST routes and the network. */
export type Failure = {
  code: FailureCode
  /** The text for people. */
  message: string
  /** For support; undefined without a response. */
  requestId: string | undefined
  httpStatus: number | undefined
  /** The same request may be sent again unchanged. */
  retryable: boolean
  /** How long to wait before that, if the server said so. */
  retryAfterSeconds: number | undefined
  issues: Issue[]
  /** The next step, where the code does not tell it. */
  advice?: string
  /** Further members of the response, such as the current revision. */
  details: Record<string, unknown>
}

/** A failed request; thrown by everything that fetches. */
export class RequestError extends Error {
  readonly failure: Failure

  constructor(failure: Failure, cause?: unknown) {
    super(failure.message, cause === undefined ? undefined : { cause })
    this.name = 'RequestError'
    this.failure = failure
  }
}

/** A failure without a response of the API. */
export function failureOf(code: FailureCode, message: string, httpStatus?: number): Failure {
  const retryable =
    code === 'network' || code === 'timeout' || (Object.hasOwn(errorStatus, code) && isRetryable(code as ErrorCode))
  return {
    code,
    message,
    requestId: undefined,
    httpStatus,
    retryable,
    retryAfterSeconds: undefined,
    issues: [],
    details: {},
  }
}

/** Reads an error response of either transport: `reason` is tRPC's name for our code. */
export function failureFromBody(body: unknown, response: Response): Failure {
  const fallback = failureOf(
    'unreadable',
    `The server returned ${response.status} with a response that can’t be read.`,
    response.status,
  )
  if (!isRecord(body)) return { ...fallback, retryAfterSeconds: retryAfter(response) }
  const {
    error,
    message = error,
    code,
    reason = code,
    requestId,
    retryable,
    issues,
    httpStatus,
    path,
    ...details
  } = body
  const known = asCode(reason)
  if (known === undefined || typeof message !== 'string')
    return { ...fallback, retryAfterSeconds: retryAfter(response) }
  return {
    code: known,
    message,
    requestId: typeof requestId === 'string' && requestId !== 'none' ? requestId : undefined,
    httpStatus: typeof httpStatus === 'number' ? httpStatus : response.status,
    retryable: typeof retryable === 'boolean' ? retryable : isRetryable(known),
    retryAfterSeconds: retryAfter(response),
    issues: Array.isArray(issues) ? issues.filter(isIssue) : [],
    details,
  }
}

/** Seconds of a Retry-After header (RFC 9110, 10.2.3), in either of its forms. */
function retryAfter(response: Response): number | undefined {
  const text = response.headers.get('retry-after')
  if (text === null) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined
}

const asCode = (value: unknown): ErrorCode | undefined =>
  typeof value === 'string' && Object.hasOwn(errorStatus, value) ? (value as ErrorCode) : undefined

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const isIssue = (value: unknown): value is Issue =>
  isRecord(value) && typeof value.path === 'string' && typeof value.message === 'string'
