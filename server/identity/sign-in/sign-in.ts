import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors, type Interaction } from 'oidc-provider'
import { serveConsent } from '#server/identity/consent/consent.ts'
import { FormError, readForm } from '#server/identity/form-body.ts'
import { expiredPage, notAcceptedPage, otherMethodPage, otherSitePage } from '#server/identity/pages/error-page.ts'
import type { OpenRealm } from '#server/identity/realms/provider.ts'
import { sendPage } from '#server/identity/respond.ts'
import { setSignedIn } from '#server/identity/store.ts'
import { type Tried, tryPassword } from '#server/identity/strangers/try-password.ts'
import { activePerson } from '#server/identity/tokens/claims.ts'
import { type Reader, readerOf } from '#server/identity/words/reader.ts'
import { OverloadError } from '#server/kernel/rate/turns.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { loginTimes } from './outdated-login.ts'
import { isForeign } from './same-site.ts'
import { signInPage } from './sign-in-page.ts'
import { usernameKey } from './username.ts'

/** The page of the interaction `uid`, to sign in or to allow a client: shows the form, or accepts a submitted one. */
export async function serveSignIn(
  open: OpenRealm,
  uid: string,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const reader = readerOf(open.realm, req.headers)
  const interaction = await findInteraction(open, uid, req, res)
  if (interaction === undefined) return sendPage(res, 400, expiredPage(reader))
  const asks = interaction.prompt.name === 'consent'
  if (req.method === 'GET' && !asks) return show(reader, interaction, res, { username: hintOf(interaction) })
  if (req.method !== 'GET' && req.method !== 'POST')
    return sendPage(res, 405, otherMethodPage(reader), { allow: 'GET, POST' })
  // The interaction's cookie is SameSite=Lax, so another site's form arrives without it; this check is a second line of
  // defence.
  if (req.method === 'POST' && isForeign(req)) return sendPage(res, 403, otherSitePage(reader))
  await (asks ? serveConsent : submit)(open, interaction, req, res)
}

async function submit(
  open: OpenRealm,
  interaction: Interaction,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const { realm, provider } = open
  const reader = readerOf(realm, req.headers)
  const t = reader.t.signIn
  const form = await readForm(req).catch((error: unknown) => {
    if (error instanceof FormError) return error
    throw error
  })
  if (form instanceof FormError) return sendPage(res, form.status, notAcceptedPage(reader, form.message))
  const username = usernameKey(form.get('username') ?? '').slice(0, 256)
  // Before the stored hash is read: what withdraws access later also withdraws it from this sign-in.
  const beganAt = Date.now()
  let tried: Tried
  try {
    const attempt = { username, password: form.get('password') ?? '', interaction: interaction.uid, req }
    tried = await tryPassword(open.guard, attempt)
  } catch (error) {
    if (!(error instanceof OverloadError)) throw error
    return show(reader, interaction, res, { username, problem: t.busy, status: 503, retryAfter: 2 })
  }
  if ('spent' in tried) {
    const { resetSeconds } = tried.spent
    const problem = t.tooMany(Math.max(1, Math.ceil(resetSeconds / 60)))
    return show(reader, interaction, res, { username, problem, status: 429, retryAfter: resetSeconds })
  }
  const { verified } = tried
  if (verified === undefined) return show(reader, interaction, res, { username, problem: t.wrong })
  const { subject } = verified
  if ((await activePerson(realm, subject)) === undefined) {
    const problem = t.inactive(realm.displayName)
    return show(reader, interaction, res, { username, problem, status: 403 })
  }
  const isCurrent = await runtime().database.inTenant(realm.tenantId, (tx) => setSignedIn(tx, realm.tenantId, verified))
  if (!isCurrent) return show(reader, interaction, res, { username, problem: t.wrong })
  const account = open.guard.accountOf('person', username)
  res.appendHeader('set-cookie', open.guard.browsers.cookieFor(req.headers.cookie, account))
  const login = { accountId: subject, amr: ['pwd'], ...loginTimes(beganAt) }
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

function show(reader: Reader, { uid, params }: Interaction, res: ServerResponse, shown: Shown): void {
  const { status = 200, retryAfter, ...fields } = shown
  const page = signInPage(reader, {
    action: `${reader.realm.url}/interaction/${uid}`,
    clientId: params.client_id,
    redirectUri: params.redirect_uri,
    ...fields,
  })
  sendPage(res, status, page, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) })
}

const hintOf = ({ params }: Interaction): string =>
  typeof params.login_hint === 'string' ? params.login_hint.slice(0, 256) : ''
