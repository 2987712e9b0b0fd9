import { createHash, randomBytes } from 'node:crypto'
import { Browser, type Visit } from './browser.ts'
import { newProver, type Prover } from './dpop.ts'

export type Tokens = {
  accessToken: string
  refreshToken: string
  idToken: string
  /** Seconds. */
  expiresIn: number
  scope: string
}

/** A public client and the redirect URI for its codes. */
export type PublicClient = {
  clientId: string
  redirectUri: string
  /** The key that the tokens are bound to. */
  prover?: Prover
}

// No server listens at this address: the code is read from the redirect.
export const commandLine: PublicClient = { clientId: 'countersign-cli', redirectUri: 'http://127.0.0.1:49152/callback' }

/** Returns the console as a client: of this origin, with its own key. */
export const consoleClient = async (origin: string): Promise<PublicClient & { prover: Prover }> => ({
  clientId: 'countersign-console',
  redirectUri: `${origin}/auth/callback`,
  prover: await newProver(),
})

/** Signs a person in over HTTP as the command line does, by authorization code with PKCE, and returns the tokens. */
export async function signIn(
  baseUrl: string,
  slug: string,
  username: string,
  password: string,
  { client = commandLine, browser = new Browser() }: { client?: PublicClient; browser?: Browser } = {},
): Promise<Tokens> {
  const request = authorizationRequest(`${baseUrl}/realms/${slug}`, client)
  const code = await authorize(browser, request, username, password)
  return readTokens(await exchangeCode(request, code))
}

export type AuthorizationRequest = {
  realmUrl: string
  url: string
  client: PublicClient
  verifier: string
  state: string
}

export function authorizationRequest(
  realmUrl: string,
  client: PublicClient = commandLine,
  parameters: Record<string, string> = {},
): AuthorizationRequest {
  const verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(16).toString('base64url')
  const query = new URLSearchParams({
    client_id: client.clientId,
    redirect_uri: client.redirectUri,
    response_type: 'code',
    scope: 'openid profile email',
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...parameters,
  })
  return { realmUrl, url: `${realmUrl}/protocol/openid-connect/auth?${query}`, client, verifier, state }
}

/** Completes the sign-in page, if it appears, and returns the code. Throws if another page appears. */
export async function authorize(
  browser: Browser,
  request: AuthorizationRequest,
  username: string,
  password: string,
): Promise<string> {
  const { redirectUri } = request.client
  let visit = await browser.follow(await browser.visit(request.url), redirectUri)
  if (visit.location === undefined) visit = await sendSignIn(browser, visit, username, password)
  return codeOf(await browser.follow(visit, redirectUri), request)
}

/** Fills in and submits the page's form. */
export function sendSignIn(browser: Browser, page: Visit, username: string, password: string): Promise<Visit> {
  const action = /<form method="post" action="([^"]+)"/.exec(page.text)?.[1]
  if (action === undefined) throw new Error(`A sign-in form was not found at ${page.url}: ${page.status} ${page.text}`)
  return browser.visit(new URL(action, page.url).href, { username, password })
}

function codeOf({ location, status, text }: Visit, { client, state }: AuthorizationRequest): string {
  if (location?.startsWith(client.redirectUri) !== true) throw new Error(`No redirect to the client: ${status} ${text}`)
  const answer = new URL(location).searchParams
  const code = answer.get('code')
  if (code === null || answer.get('state') !== state) throw new Error(`No code in ${location}`)
  return code
}

export const exchangeCode = (
  { realmUrl, client, verifier }: AuthorizationRequest,
  code: string,
  changes: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Response> =>
  requestTokens(
    realmUrl,
    client,
    {
      grant_type: 'authorization_code',
      redirect_uri: client.redirectUri,
      code,
      code_verifier: verifier,
      ...changes,
    },
    headers,
  )

export const refresh = (
  realmUrl: string,
  refreshToken: string,
  client: Pick<PublicClient, 'clientId' | 'prover'> = commandLine,
): Promise<Response> => requestTokens(realmUrl, client, { grant_type: 'refresh_token', refresh_token: refreshToken })

async function requestTokens(
  realmUrl: string,
  { clientId, prover }: Pick<PublicClient, 'clientId' | 'prover'>,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const url = `${realmUrl}/protocol/openid-connect/token`
  const body = new URLSearchParams({ client_id: clientId, ...fields })
  const proof = new Headers(headers)
  if (prover !== undefined && !proof.has('dpop')) proof.set('dpop', await prover.prove({ method: 'POST', url }))
  return await fetch(url, { method: 'POST', headers: proof, body })
}

/** Reads the response of the token endpoint for a person. Throws an error with the response's text if it failed. */
export async function readTokens(response: Response): Promise<Tokens> {
  const text = await response.text()
  if (!response.ok) throw new Error(`The token endpoint answered ${response.status}: ${text}`)
  const answer: unknown = JSON.parse(text)
  return {
    accessToken: stringIn(answer, 'access_token'),
    refreshToken: stringIn(answer, 'refresh_token'),
    idToken: stringIn(answer, 'id_token'),
    expiresIn: Number(valueIn(answer, 'expires_in')),
    scope: stringIn(answer, 'scope'),
  }
}

const valueIn = (answer: unknown, name: string): unknown =>
  typeof answer === 'object' && answer !== null ? Reflect.get(answer, name) : undefined

function stringIn(answer: unknown, name: string): string {
  const value = valueIn(answer, name)
  if (typeof value !== 'string') throw new Error(`The token response lacks ${name}.`)
  return value
}
