import type { IncomingMessage, ServerResponse } from 'node:http'
import { FormError, readForm } from '#server/identity/form-body.ts'
import { notAcceptedPage, otherMethodPage, otherSitePage } from '#server/identity/pages/error-page.ts'
import { passwordProblem } from '#server/identity/passwords/password-problem.ts'
import type { Realm } from '#server/identity/realms/realm.ts'
import { sendPage } from '#server/identity/respond.ts'
import { hashPassword } from '#server/identity/sign-in/password.ts'
import { isForeign } from '#server/identity/sign-in/same-site.ts'
import { laneOf } from '#server/identity/strangers/turns.ts'
import { readerOf } from '#server/identity/words/reader.ts'
import { clientOf } from '#server/kernel/net/client-address.ts'
import { lookUpInTurn } from '#server/kernel/rate/lookups.ts'
import { OverloadError } from '#server/kernel/rate/turns.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { deadLinkPage, passwordSetPage, setPasswordPage } from './link-page.ts'
import { findLinkOwner, linkToken, redeemLink } from './sign-in-links.ts'

/**
 * The page of a one-time sign-in link: shows the form, or accepts the new password. Opening it does not use the link,
 * because mail scanners open links too.
 */
export async function serveLink(realm: Realm, token: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { tenantId } = realm
  const reader = readerOf(realm, req.headers)
  const owner = linkToken.test(token)
    ? await lookUpInTurn(laneOf('stranger', tenantId, clientOf(req), 'link'), () =>
        runtime().database.inTenant(tenantId, (tx) => findLinkOwner(tx, realm, token)),
      )
    : undefined
  if (owner === undefined) return sendPage(res, 410, deadLinkPage(reader))
  const action = `${realm.url}/sign-in-link/${token}`
  const show = (status: number, problem?: string) =>
    sendPage(res, status, setPasswordPage(reader, { action, ...owner, problem }))
  if (req.method === 'GET') return show(200)
  if (req.method !== 'POST') return sendPage(res, 405, otherMethodPage(reader), { allow: 'GET, POST' })
  if (isForeign(req)) return sendPage(res, 403, otherSitePage(reader))

  const form = await readForm(req).catch((error: unknown) => {
    if (error instanceof FormError) return error
    throw error
  })
  if (form instanceof FormError) return sendPage(res, form.status, notAcceptedPage(reader, form.message))
  const password = form.get('password') ?? ''
  const problem = passwordProblem(reader, owner, { password, again: form.get('again') })
  if (problem !== undefined) return show(422, problem)
  let hash: string
  try {
    hash = await hashPassword(password)
  } catch (error) {
    if (!(error instanceof OverloadError)) throw error
    return show(503, reader.t.change.busy)
  }
  const done = await runtime().database.inTenant(tenantId, (tx) => redeemLink(tx, realm, token, hash))
  sendPage(res, done ? 200 : 410, done ? passwordSetPage(reader, owner.username) : deadLinkPage(reader))
}
