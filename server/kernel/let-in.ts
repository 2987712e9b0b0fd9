import { accessDenied } from './auth/access-denied.ts'
import { type Admission, admit } from './auth/admit.ts'
import { type Credentials, credentialsOf, present } from './auth/authenticate.ts'
import { captureOutcome } from './capture-outcome.ts'
import { newId } from './ids.ts'
import { withRateHeaders } from './rate/headers.ts'
import { callsStanding } from './rate/limits.ts'

/** What the transports over HTTP differ in when they let a request in. */
export type Door<B> = {
  /** Takes the input out of a request with a body. */
  reading?: (() => Promise<B>) | undefined
  /** How many calls the request holds. */
  calls?: number
  /** The external id of the tenant that the input names: it selects the tenant where no header does. */
  tenantIn?(read: (() => B) | undefined): string | undefined
  /** The transport's error body. */
  refused(error: unknown, requestId: string): Response
}

/**
 * Authenticates a request and admits its caller, once, then answers with what `work` returns. The body of a request that
 * holds a token is read before the transaction of the admission is opened, which must not wait for a slow sender; `read`
 * gives it or throws its error, so that what is wrong with it is said only to whom the tenant lets in. A key says nothing
 * before it was looked up: then `read` is undefined.
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
    const body = request.method === 'GET' ? undefined : reading
    const read = body !== undefined && 'token' in presented ? await captureOutcome(body()) : undefined
    const named = tenantIn?.(read)
    admission = await admit(presented, selecting(credentials, named), calls)
    const { tenant } = admission.caller
    if (named !== undefined && named !== tenant.externalId) throw accessDenied()
    // A body may come slowly: no transaction waits for it.
    if (request.method !== 'GET' && read === undefined) await admission.end()
    return withRateHeaders(await work(admission, read), callsStanding(tenant.id))
  } catch (error) {
    const response = refused(error, requestId)
    return admission === undefined ? response : withRateHeaders(response, callsStanding(admission.caller.tenant.id))
  } finally {
    await admission?.end()
  }
}

/** A header goes before the input: where the two name different tenants, the call is denied. */
const selecting = (credentials: Credentials, named: string | undefined): Credentials =>
  credentials.tenantExternalId !== undefined || credentials.tenantId !== undefined
    ? credentials
    : { ...credentials, tenantExternalId: named }
