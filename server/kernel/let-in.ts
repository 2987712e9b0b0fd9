import { accessDenied } from './auth/access-denied.ts'
import { type Admission, admit } from './auth/admit.ts'
import { type Credentials, credentialsOf, present } from './auth/authenticate.ts'
import { captureOutcome } from './capture-outcome.ts'
import { newId } from './ids.ts'
import { withJustification } from './justification.ts'
import { withRateHeaders } from './rate/headers.ts'
import { callsStanding } from './rate/limits.ts'

/** The differences between the HTTP transports in admitting a request. */
export type Door<B> = {
  /** Reads the input of a request with a body. */
  reading?: (() => Promise<B>) | undefined
  /** The number of calls in the request. */
  calls?: number
  /** The external id of the tenant that the input names: it selects the tenant if no header does. */
  tenantIn?(read: (() => B) | undefined): string | undefined
  /** The transport's error body. */
  refused(error: unknown, requestId: string): Response
}

/**
 * Authenticates a request and admits its caller, once, then responds with the result of `work`. With a token, the body
 * is read before the transaction of the admission is opened, because that must not wait for a slow sender; `read`
 * returns the body or throws its error, so that problems with the body are reported only after the tenant has admitted
 * the caller. With an API key, `read` is undefined, because the body is read only after the key has been looked up.
 */
export async function letIn<B>(
  request: Request,
  { reading, calls, tenantIn, refused }: Door<B>,
  work: (admission: Admission, read: (() => B) | undefined) => Promise<Response>,
): Promise<Response> {
  const requestId = newId()
  let admission: Admission | undefined
  try {
    const credentials = credentialsOf(request, requestId)
    const presented = await present(credentials)
    const body = isRead(request) ? undefined : reading
    const read = body !== undefined && 'token' in presented ? await captureOutcome(body()) : undefined
    const named = tenantIn?.(read)
    admission = await admit(presented, selecting(credentials, named), calls)
    const { tenant } = admission.caller
    if (named !== undefined && named !== tenant.externalId) throw accessDenied()
    // A body may arrive slowly, so no transaction waits for it.
    if (!isRead(request) && read === undefined) await admission.end()
    const caller = withJustification(admission.caller, request)
    return withRateHeaders(await work({ ...admission, caller }, read), callsStanding(tenant.id))
  } catch (error) {
    const response = refused(error, requestId)
    return admission === undefined ? response : withRateHeaders(response, callsStanding(admission.caller.tenant.id))
  } finally {
    await admission?.end()
  }
}

/** A request without a body. */
export const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'

/** A header takes precedence over the input: if the two name different tenants, the call is denied. */
const selecting = (credentials: Credentials, named: string | undefined): Credentials =>
  credentials.tenantExternalId !== undefined || credentials.tenantId !== undefined
    ? credentials
    : { ...credentials, tenantExternalId: named }
