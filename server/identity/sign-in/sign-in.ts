import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors, type Interaction } from 'oidc-provider'
import { serveConsent } from '#server/identity/consent/consent.ts'
import { FormError, readForm } from '#server/identity/form-body.ts'
import { expiredPage, problemPage } from '#server/identity/pages/error-page.ts'
import type { OpenRealm } from '#server/identity/realms/provider.ts'
import type { Realm } from '#server/identity/realms/realm.ts'
import { sendPage } from '#server/identity/respond.ts'
import { setSignedIn } from '#server/identity/store.ts'
import { type Tried, tryPassword } from '#server/identity/strangers/try-password.ts'
import { activePerson } from '#server/identity/tokens/claims.ts'
import { OverloadError } from '#server/kernel/rate/turns.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { isForeign } from './same-site.ts'
import { signInPage } from './sign-in-page.ts'
import { usernameKey } from './username.ts'

// The same message for an unknown name, a wrong password and a disabled account, so that it reveals nothing.
const wrong = 'The user name or the password is wrong.'

/** The page of the interaction `uid`, to sign in or to allow a client: shows the form, or accepts a submitted one. */
export async function serveSignIn(
  open: OpenRealm,
  uid: string,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const interaction = await findInteraction(open, uid, req, res)
  if (interaction === undefined) return sendPage(res, 400, expiredPage(open.realm))
  const asks = interaction.prompt.name === 'consent'
  if (req.method === 'GET' && !asks) return show(open.realm, interaction, res, { username: hintOf(interaction) })
  if (req.method !== 'GET' && req.method !== 'POST') {
    const page = problemPage(open.realm, 'This form can’t be accepted', 'This page accepts only GET and POST requests.')
    return sendPage(res, 405, page, { allow: 'GET, POST' })
  }
  // The interaction's cookie is SameSite=Lax, so another site's form arrives without it; this check is a second line of
  // defence.
  if (req.method === 'POST' && isForeign(req)) {
    const page = problemPage(
      open.realm,
      'This form can’t be accepted',
      'The form was sent by another site. Nothing has changed.',
    )
    return sendPage(res, 403, page)
  }
  await (asks ? serveConsent : submit)(open, interaction, req, res)
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
  let tried: Tried
  try {
    const attempt = { username, password: form.get('password') ?? '', interaction: interaction.uid, req }
    tried = await tryPassword(open.guard, attempt)
  } catch (error) {
    if (!(error instanceof OverloadError)) throw error
    const problem = 'Too many people are signing in right now. Try again in a moment.'
    return show(realm, interaction, res, { username, problem, status: 503, retryAfter: 2 })
  }
  if ('spent' in tried) {
    const { resetSeconds } = tried.spent
    const problem = `Too many attempts. Try again in ${minutes(resetSeconds)}, or in a browser in which you have signed in before.`
    return show(realm, interaction, res, { username, problem, status: 429, retryAfter: resetSeconds })
  }
  const { subject } = tried
  if (subject === undefined) return show(realm, interaction, res, { username, problem: wrong })
  if ((await activePerson(realm, subject)) === undefined) {
    const problem = `You are not an active member of ${realm.displayName}. Ask an administrator to activate your membership.`
    return show(realm, interaction, res, { username, problem, status: 403 })
  }
  await runtime().database.inTenant(realm.tenantId, (tx) => setSignedIn(tx, realm.tenantId, subject))
  const account = open.guard.accountOf('person', username)
  res.appendHeader('set-cookie', open.guard.browsers.cookieFor(req.headers.cookie, account))
  const login = { accountId: subject, amr: ['pwd'] }
  await provider.interactionFinished(req, res, { login }, { mergeWithLastSubmission: false })
}

async function findInteraction(
  { provider }: OpenRealm,
  uid: string,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<Interaction | undefined> {
  try {
    const interaction = await provider.interactionDetails(req, res)
    return interaction.uid === uid ? interaction : undefined
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
