import { ApiError } from '#lib/errors.ts'
import { Id } from '#lib/schemas/common.ts'
import { accessDenied } from './auth/access-denied.ts'
import { type Admission, admit, admitAsKnown } from './auth/admit.ts'
import { type Credentials, credentialsOf, type Presented, present } from './auth/authenticate.ts'
import { captureOutcome } from './capture-outcome.ts'
import { newId } from './ids.ts'
import { withJustification } from './justification.ts'
import { noteCaller } from './observe/request-note.ts'
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
  /** All effects of the work are in the transaction that it claims, so it may begin before the database has confirmed the caller. */
  isContained?: boolean
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
  { reading, calls, tenantIn, isContained = false, refused }: Door<B>,
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
    if (isContained && named === undefined && (isRead(request) || read !== undefined)) {
      const known = await admitAsKnown(presented, selecting(credentials, named), calls)
      if (known !== undefined) {
        const { tenant } = known.caller
        noteCaller(requestId, tenant.id)
        const begin = async () => work({ ...known, caller: withJustification(known.caller, request) }, read)
        const outcome = await captureOutcome(begin())
        await known.end()
        // Otherwise nothing was done, and the call begins again.
        if (await known.confirmed?.()) {
          admission = known
          return withRateHeaders(outcome(), callsStanding(tenant.id))
        }
      }
    }
    admission = await admit(presented, selecting(credentials, named), calls).catch(async (error: unknown) => {
      throw (await isOwnId(presented, credentials, named)) ? wrongKindOfId() : error
    })
    const { tenant } = admission.caller
    noteCaller(requestId, tenant.id)
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

/** Whether the input names the caller's own tenant by its id instead of its external id. */
async function isOwnId(presented: Presented, credentials: Credentials, named: string | undefined): Promise<boolean> {
  if (named === undefined || !Id.safeParse(named).success) return false
  try {
    const { caller, end } = await admit(presented, credentials)
    await end()
    return caller.tenant.id === named
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

/** Reveals nothing about other tenants, whose ids get the same refusal as unknown ones. */
const wrongKindOfId = () =>
  new ApiError(
    'bad_request',
    'The input names your tenant by its id. Give its external id: the field externalId of tenants.current.',
  )

/** A header takes precedence over the input: if the two name different tenants, the call is denied. */
const selecting = (credentials: Credentials, named: string | undefined): Credentials =>
  credentials.tenantExternalId !== undefined || credentials.tenantId !== undefined
    ? credentials
    : { ...credentials, tenantExternalId: named }
