import type { IncomingMessage, ServerResponse } from 'node:http'
import { isMetadata, noteRegistration } from '#server/identity/clients/announce-registration.ts'
import { registrationPath, serveRegistration } from '#server/identity/clients/registration.ts'
import { serveLink } from '#server/identity/links/serve-link.ts'
import { fontPath, serveFont } from '#server/identity/pages/font.ts'
import { passwordPath } from '#server/identity/passwords/change-page.ts'
import { serveChange } from '#server/identity/passwords/serve-change.ts'
import { paths } from '#server/identity/realms/configuration.ts'
import { type OpenRealm, openRealm } from '#server/identity/realms/provider.ts'
import { serveSignIn } from '#server/identity/sign-in/sign-in.ts'
import { serveIntrospection } from '#server/identity/tokens/introspection.ts'
import { serveUserinfo } from '#server/identity/tokens/userinfo.ts'
import { parseCompactJws } from '#server/kernel/auth/gate.ts'
import { slugPattern } from '#server/kernel/auth/realm.ts'
import { clientOf } from '#server/kernel/net/client-address.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { corsHeaders } from './cors.ts'
import { guardForm, storableBasic } from './form-body.ts'
import { sendJson } from './respond.ts'
import { unavailableFor } from './unavailable.ts'

/** RFC 8414, section 3.1: the well-known path is inserted before the path of the issuer. */
const insertedMetadata = /^\/\.well-known\/oauth-authorization-server(\/realms\/[^/?]+)(\?.*)?$/

/** Whether the path is of a realm: below it, or its metadata at the path of RFC 8414. */
export const isRealmPath = (path: string): boolean => path.startsWith('/realms/') || insertedMetadata.test(path)

/** The address below the realm, which is the one that the library serves. */
const addressInRealm = (url: string): string =>
  url.replace(insertedMetadata, '$1/.well-known/oauth-authorization-server$2')

/** Serves every path of a realm. Never rejects: errors are logged and answered with 500, or with 503 during an outage. */
export async function identityHandler(req: IncomingMessage, res: ServerResponse): Promise<void> {
  try {
    req.url = addressInRealm(req.url ?? '')
    const target = parse(req.url)
    const open = target === undefined ? undefined : await openRealm(target.slug)
    if (target === undefined || open === undefined)
      return sendJson(res, 404, { error: 'not_found', error_description: 'Tenant not found.' })
    await serve(open, target, req, res)
  } catch (error) {
    const busy = unavailableFor(error)
    if (busy === undefined) runtime().log.error({ err: error }, 'the identity provider failed')
    if (res.headersSent) res.destroy()
    else if (busy !== undefined) sendJson(res, 503, busy.body, busy.headers)
    else
      sendJson(res, 500, { error: 'server_error', error_description: 'Something went wrong. Try again in a moment.' })
  }
}

type Target = { slug: string /** Below the realm, without the query. */; path: string /** With it. */; rest: string }

function parse(url: string): Target | undefined {
  const match = /^\/realms\/([^/?]+)(\/[^?]*)?(\?.*)?$/.exec(url)
  const [, slug, path = '/', query = ''] = match ?? []
  return slug === undefined || !slugPattern.test(slug) ? undefined : { slug, path, rest: `${path}${query}` }
}

async function serve(open: OpenRealm, target: Target, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const uid = /^\/interaction\/([\w-]{1,128})$/.exec(target.path)?.[1]
  if (uid !== undefined) return await serveSignIn(open, uid, req, res)
  const token = /^\/sign-in-link\/([\w-]{1,128})$/.exec(target.path)?.[1]
  if (token !== undefined) return await serveLink(open.realm, token, req, res)
  if (target.path === passwordPath) return await serveChange(open, req, res)
  const { method } = req
  if (target.path === registrationPath && method === 'POST') return await serveRegistration(open, req, res)
  if (isMetadata(target.path)) await noteRegistration(open, req)
  if (!storableBasic(req))
    return sendJson(res, 400, { error: 'invalid_request', error_description: 'The credentials contain U+0000.' })
  if (target.path === fontPath && (method === 'GET' || method === 'HEAD')) return serveFont(res)
  if (target.path === paths.userinfo && (method === 'GET' || method === 'POST'))
    return await serveUserinfo(open.realm, req, res)
  if (target.path === paths.introspection && method === 'POST') return await serveIntrospection(open, req, res)
  // The library reads proofs more leniently than the API does (kernel/auth/gate.ts).
  const proof = req.headers.dpop?.toString()
  if (proof !== undefined && parseCompactJws(proof) === undefined) return refuseProof(req, res)
  const authUrl = new URL(runtime().config.authUrl)
  req.headers['x-forwarded-host'] = authUrl.host
  req.headers['x-forwarded-proto'] = authUrl.protocol.slice(0, -1)
  // The return to an interaction reads nothing from the query, and the library fails on a client that is named there.
  const resumes = target.path.startsWith(`${paths.authorization}/`)
  req.headers['x-forwarded-for'] = clientOf(req).address
  // Tells oidc-provider the path that it is mounted below.
  Object.assign(req, { originalUrl: req.url, url: resumes ? target.path : target.rest })
  guardForm(req)
  await open.serve(req, res)
}

function refuseProof(req: IncomingMessage, res: ServerResponse): void {
  const body = { error: 'invalid_dpop_proof', error_description: 'the DPoP proof is not exactly one compact proof' }
  sendJson(res, 400, body, corsHeaders(req))
}
