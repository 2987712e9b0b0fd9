import {
  InsufficientScopeError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { AnswerTooLarge } from '#server/kernel/net/outbound.ts'
import { isCutOff } from '../mcp-client.ts'

/**
 * A call was sent, but its tool server did not return a result, so it is unknown whether the tool ran. `message`: why, as the end
 * of a sentence. It quotes nothing of the answer but its status and its media type.
 */
export class Unanswered extends Error {}

/** The status with which a tool server refused a request, which it then has not carried out. Undefined for any other error. */
export function refusalIn(error: unknown): 401 | 403 | undefined {
  if (error instanceof UnauthorizedError) return 401
  if (error instanceof InsufficientScopeError) return 403
  if (error instanceof SdkHttpError && (error.status === 401 || error.status === 403)) return error.status
  return error instanceof Error && error.cause !== undefined ? refusalIn(error.cause) : undefined
}

/** The status of a redirect with which a tool server answered. Undefined for any other error. */
export function redirectIn(error: unknown): number | undefined {
  if (error instanceof SdkHttpError && isRedirect(error.status)) return error.status
  return error instanceof Error && error.cause !== undefined ? redirectIn(error.cause) : undefined
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400

/** Why a call that was sent did not get a result. */
export function whyUnanswered(error: unknown, timeoutMs: number): string {
  if (error instanceof SdkHttpError)
    return isRedirect(error.status)
      ? `its server answered ${error.status}, a redirect that is not followed`
      : `its server answered ${error.status}`
  if (isCutOff(error)) return 'its server ended the response before the result'
  if (error instanceof AnswerTooLarge) return 'the answer of its server is too large'
  if (!(error instanceof SdkError)) return withoutResult(error)
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return `its server did not answer within ${Math.round(timeoutMs / 1000)} s`
    case SdkErrorCode.ConnectionClosed:
      return 'the connection to its server was lost'
    case SdkErrorCode.ClientHttpUnexpectedContent:
      return `its server answered ${mediaTypeOf(error.data)}, which is not MCP`
    default:
      return withoutResult(error)
  }
}

function withoutResult(error: unknown): string {
  const code = codeIn(error)
  return `its server did not return a result${code === undefined ? '' : ` (${code})`}`
}

/** Such as ECONNRESET. */
function codeIn(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    if ('code' in at && typeof at.code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(at.code)) return at.code
  return undefined
}

function mediaTypeOf(data: unknown): string {
  const type = typeof data === 'object' && data !== null ? Reflect.get(data, 'contentType') : undefined
  return /^[\w.+-]{1,60}\/[\w.+-]{1,60}/.exec(String(type))?.[0] ?? 'without a media type'
}
