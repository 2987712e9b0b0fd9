import type { IncomingMessage, ServerResponse } from 'node:http'
import { FormError, readForm } from '#server/identity/form-body.ts'
import { notAcceptedPage, otherMethodPage, otherSitePage } from '#server/identity/pages/error-page.ts'
import type { OpenRealm } from '#server/identity/realms/provider.ts'
import { sendPage } from '#server/identity/respond.ts'
import { hashPassword } from '#server/identity/sign-in/password.ts'
import { isForeign } from '#server/identity/sign-in/same-site.ts'
import { usernameKey } from '#server/identity/sign-in/username.ts'
import { tryPassword } from '#server/identity/strangers/try-password.ts'
import { activePerson } from '#server/identity/tokens/claims.ts'
import { type Reader, readerOf } from '#server/identity/words/reader.ts'
import { retryHeaders } from '#server/kernel/rate/headers.ts'
import { OverloadError } from '#server/kernel/rate/turns.ts'
import { changePasswordPage, passwordChangedPage } from './change-page.ts'
import { changePassword } from './change-password.ts'
import { passwordProblem } from './password-problem.ts'

/** The page on which people change their own password, with the shares of guesses and the turns of the sign-in form. */
export async function serveChange(open: OpenRealm, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const reader = readerOf(open.realm, req.headers)
  if (req.method === 'GET') return sendPage(res, 200, changePasswordPage(reader, { username: '' }))
  if (req.method !== 'POST') return sendPage(res, 405, otherMethodPage(reader), { allow: 'GET, POST' })
  if (isForeign(req)) return sendPage(res, 403, otherSitePage(reader))
  const form = await readForm(req).catch((error: unknown) => {
    if (error instanceof FormError) return error
    throw error
  })
  if (form instanceof FormError) return sendPage(res, form.status, notAcceptedPage(reader, form.message))
  await change(open, reader, form, req, res)
}

async function change(
  { realm, guard }: OpenRealm,
  reader: Reader,
  form: ReadonlyMap<string, string>,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const t = reader.t.change
  const username = usernameKey(form.get('username') ?? '').slice(0, 256)
  const show = (status: number, problem: string, headers: Record<string, string> = {}) =>
    sendPage(res, status, changePasswordPage(reader, { username, problem }), headers)
  try {
    const current = form.get('current') ?? ''
    const tried = await tryPassword(guard, { username, password: current, interaction: 'password', req })
    if ('spent' in tried)
      return show(429, t.tooMany, {
        'retry-after': String(tried.spent.resetSeconds),
      })
    const { verified } = tried
    const person = verified === undefined ? undefined : await activePerson(realm, verified.subject)
    // One message for an unknown name, a wrong password and an inactive member.
    if (verified === undefined || person === undefined) return show(403, t.wrong)
    const password = form.get('password') ?? ''
    const problem =
      passwordProblem(reader, person, { password, again: form.get('again') }) ??
      (password === current ? t.same : undefined)
    if (problem !== undefined) return show(422, problem)
    const changed = await changePassword(realm, verified, await hashPassword(password))
    if (!changed) return show(403, t.wrong)
    sendPage(res, 200, passwordChangedPage(reader))
  } catch (error) {
    if (!(error instanceof OverloadError)) throw error
    show(503, t.busy, retryHeaders(error, 503))
  }
}
