import type { IncomingMessage, ServerResponse } from 'node:http'
import { FormError, readForm } from '#server/identity/form-body.ts'
import { problemPage } from '#server/identity/pages/error-page.ts'
import type { OpenRealm } from '#server/identity/realms/provider.ts'
import { sendPage } from '#server/identity/respond.ts'
import { hashPassword } from '#server/identity/sign-in/password.ts'
import { isForeign } from '#server/identity/sign-in/same-site.ts'
import { usernameKey } from '#server/identity/sign-in/username.ts'
import { tryPassword } from '#server/identity/strangers/try-password.ts'
import { activePerson } from '#server/identity/tokens/claims.ts'
import { retryHeaders } from '#server/kernel/rate/headers.ts'
import { OverloadError } from '#server/kernel/rate/turns.ts'
import { changePasswordPage, passwordChangedPage } from './change-page.ts'
import { changePassword } from './change-password.ts'
import { passwordProblem } from './password-problem.ts'

const title = 'This form can’t be accepted'

/** The page on which people change their own password, with the shares of guesses and the turns of the sign-in form. */
export async function serveChange(open: OpenRealm, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { realm } = open
  if (req.method === 'GET') return sendPage(res, 200, changePasswordPage(realm, { username: '' }))
  if (req.method !== 'POST')
    return sendPage(res, 405, problemPage(realm, title, 'This page accepts only GET and POST requests.'), {
      allow: 'GET, POST',
    })
  if (isForeign(req))
    return sendPage(res, 403, problemPage(realm, title, 'The form was sent by another site. Nothing has changed.'))
  const form = await readForm(req).catch((error: unknown) => {
    if (error instanceof FormError) return error
    throw error
  })
  if (form instanceof FormError) return sendPage(res, form.status, problemPage(realm, title, form.message))
  await change(open, form, req, res)
}

async function change(
  open: OpenRealm,
  form: ReadonlyMap<string, string>,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const { realm, guard } = open
  const username = usernameKey(form.get('username') ?? '').slice(0, 256)
  const show = (status: number, problem: string, headers: Record<string, string> = {}) =>
    sendPage(res, status, changePasswordPage(realm, { username, problem }), headers)
  try {
    const current = form.get('current') ?? ''
    const tried = await tryPassword(guard, { username, password: current, interaction: 'password', req })
    if ('spent' in tried)
      return show(429, 'Too many attempts. Try again in a few minutes.', {
        'retry-after': String(tried.spent.resetSeconds),
      })
    const person = tried.subject === undefined ? undefined : await activePerson(realm, tried.subject)
    // One message for an unknown name, a wrong password and an inactive member.
    if (tried.subject === undefined || person === undefined)
      return show(403, 'The user name or the current password is wrong.')
    const password = form.get('password') ?? ''
    const problem =
      passwordProblem(realm, person, { password, again: form.get('again') }) ??
      (password === current ? 'Choose a password that differs from the current one.' : undefined)
    if (problem !== undefined) return show(422, problem)
    const changed = await changePassword(realm, tried.subject, await hashPassword(password))
    if (!changed) return show(403, 'The user name or the current password is wrong.')
    sendPage(res, 200, passwordChangedPage(realm))
  } catch (error) {
    if (!(error instanceof OverloadError)) throw error
    show(503, 'Too many people are signing in right now. Send the form again in a moment.', retryHeaders(error, 503))
  }
}
