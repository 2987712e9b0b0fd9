import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors, type Interaction } from 'oidc-provider'
import { FormError, readForm } from '#server/identity/form-body.ts'
import { expiredPage, problemPage } from '#server/identity/pages/error-page.ts'
import type { OpenRealm } from '#server/identity/realms/provider.ts'
import type { Realm } from '#server/identity/realms/realm.ts'
import { sendPage } from '#server/identity/respond.ts'
import { findUserByName } from '#server/identity/store.ts'
import { activePerson } from '#server/identity/tokens/claims.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { OverloadError } from './bounded.ts'
import { verifyPassword } from './password.ts'
import { isForeign } from './same-site.ts'
import { signInPage } from './sign-in-page.ts'
import { recordFailure, recordSuccess, secondsToWait } from './throttle.ts'
import { usernameKey } from './username.ts'

// The same message for an unknown name, a wrong password and a disabled account, so that it reveals nothing.
const wrong = 'The user name or the password is wrong.'

/** The sign-in page of the interaction `uid`: shows the form, or accepts a submitted one. */
export async function serveSignIn(
  open: OpenRealm,
  uid: string,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const interaction = await findInteraction(open, uid, req, res)
  if (interaction === undefined) return sendPage(res, 400, expiredPage(open.realm))
  if (req.method === 'GET') return show(open.realm, interaction, res, { username: hintOf(interaction) })
  if (req.method !== 'POST') {
    const page = problemPage(open.realm, 'This form can’t be accepted', 'This page accepts only GET and POST requests.')
    return sendPage(res, 405, page, { allow: 'GET, POST' })
  }
  // The interaction's cookie is SameSite=Lax, so another site's form arrives without it; this check is a second line of
  // defence.
  if (isForeign(req)) {
    const page = problemPage(
      open.realm,
      'This form can’t be accepted',
      'The form was sent by another site. Nothing has changed.',
    )
    return sendPage(res, 403, page)
  }
  await submit(open, interaction, req, res)
}

async function submit(
  open: OpenRealm,
  interaction: Interaction,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const { realm, provider } = open
  const form = await readForm(req).catch((error: unknown) => {
    if (error instanceof FormError) return error
    throw error
  })
  if (form instanceof FormError)
    return sendPage(res, form.status, problemPage(realm, 'This form can’t be accepted', form.message))
  const username = usernameKey(form.get('username') ?? '').slice(0, 256)
  const attempt = { tenantId: realm.tenantId, username, address: req.socket.remoteAddress ?? '' }
  const wait = secondsToWait(attempt)
  if (wait !== undefined) {
    const problem = `Too many attempts. Try again in ${minutes(wait)}.`
    return show(realm, interaction, res, { username, problem, status: 429, retryAfter: wait })
  }
  let subject: string | undefined
  try {
    subject = await authenticate(realm, username, form.get('password') ?? '')
  } catch (error) {
    if (!(error instanceof OverloadError)) throw error
    const problem = 'Too many people are signing in right now. Try again in a moment.'
    return show(realm, interaction, res, { username, problem, status: 503, retryAfter: 2 })
  }
  if (subject === undefined) {
    recordFailure(attempt)
    return show(realm, interaction, res, { username, problem: wrong })
  }
  recordSuccess(attempt)
  if ((await activePerson(realm, subject)) === undefined) {
    const problem = `You are not an active member of ${realm.displayName}. Ask an administrator to activate your membership.`
    return show(realm, interaction, res, { username, problem, status: 403 })
  }
  const login = { accountId: subject, amr: ['pwd'] }
  await provider.interactionFinished(req, res, { login }, { mergeWithLastSubmission: false })
}

/**
 * The subject, if user name and password match and the account is not disabled. Does the same amount of work in every
 * case.
 */
async function authenticate({ tenantId }: Realm, username: string, password: string): Promise<string | undefined> {
  const user = await runtime().database.inTenant(tenantId, (tx) => findUserByName(tx, tenantId, username))
  const matches = await verifyPassword(password, user?.passwordHash ?? undefined)
  return matches && user?.disabledAt === null ? user.id : undefined
}

async function findInteraction(
  { provider }: OpenRealm,
  uid: string,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<Interaction | undefined> {
  try {
    const interaction = await provider.interactionDetails(req, res)
    return interaction.uid === uid && interaction.prompt.name === 'login' ? interaction : undefined
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return undefined
    throw error
  }
}

type Shown = { username: string; problem?: string; status?: number; retryAfter?: number }

function show(realm: Realm, { uid, params }: Interaction, res: ServerResponse, shown: Shown): void {
  const { status = 200, retryAfter, ...fields } = shown
  const page = signInPage(realm, {
    action: `${realm.url}/interaction/${uid}`,
    clientId: params.client_id,
    redirectUri: params.redirect_uri,
    ...fields,
  })
  sendPage(res, status, page, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) })
}

const hintOf = ({ params }: Interaction): string =>
  typeof params.login_hint === 'string' ? params.login_hint.slice(0, 256) : ''

const minutes = (seconds: number): string => (seconds <= 60 ? 'a minute' : `${Math.ceil(seconds / 60)} minutes`)
