import { execFile } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Failed } from '../failure.ts'
import { commonFlags, parse } from '../flags.ts'
import { withStore } from '../profiles.ts'
import {
  authUrlOf,
  cliClientId,
  profileNameOf,
  realmOf,
  requestToken,
  requireRealm,
  tenantOf,
  urlOf,
} from '../session.ts'
import { type Command, commonUsage } from './command.ts'

/** How long the person may take in the browser. */
const patienceMs = 5 * 60_000

const loginFlags = { 'no-browser': { type: 'boolean' } } as const

/** Authorization code with PKCE on a loopback port (RFC 8252). */
export const login: Command = {
  name: 'login',
  summary: 'Sign in with the browser',
  usage: `countersign login --url <address> --tenant <short name> [--profile <name>] [--no-browser]
${commonUsage}
  --no-browser           only print the address`,
  flags: loginFlags,
  async run({ args, environment, output }) {
    const { values } = parse(args, { ...commonFlags, ...loginFlags })
    const url = urlOf(values, environment)
    const tenant = tenantOf(values, environment)
    const authUrl = authUrlOf(environment, url)
    const realm = realmOf(authUrl, tenant)
    await requireRealm(authUrl, tenant)
    const verifier = randomBytes(32).toString('base64url')
    const state = randomBytes(16).toString('base64url')
    const { redirectUri, code } = await receiveCode(state)
    const query = new URLSearchParams({
      client_id: cliClientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid profile email',
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    const address = `${realm}/auth?${query}`
    output.error(`Sign in at ${address}\n`)
    if (values['no-browser'] !== true && output.isTerminal) openBrowser(address)
    const issued = await requestToken(realm, {
      grant_type: 'authorization_code',
      client_id: cliClientId,
      code: await code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    })
    const profile = profileNameOf(values, environment)
    await withStore(environment, async (store) => {
      store.profiles[profile] = { url, authUrl, tenant, signIn: randomUUID(), ...issued }
    })
    output.error(`Signed in to ${tenant} at ${url} as profile ${profile}.\n`)
    return undefined
  },
}

/** Opens a port on the loopback address. `code` is the answer of the provider that carries our state. */
async function receiveCode(state: string): Promise<{ redirectUri: string; code: Promise<string> }> {
  let resolve: (code: string) => void = () => undefined
  let reject: (error: Failed) => void = () => undefined
  // Promise.withResolvers is newer than Node 20.
  const answered = new Promise<string>((done, failed) => {
    resolve = done
    reject = failed
  })
  const server = createServer((req, res) => {
    const given = new URL(req.url ?? '/', 'http://127.0.0.1')
    const isOurs = given.pathname === '/callback' && given.searchParams.get('state') === state
    res.writeHead(isOurs ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
    res.end(isOurs ? 'You can close this window and return to the terminal.\n' : 'Not found.\n')
    if (!isOurs) return
    const received = given.searchParams.get('code')
    const refused = given.searchParams.get('error_description') ?? given.searchParams.get('error') ?? 'no code'
    if (received === null)
      reject(new Failed('signedOut', `The sign-in was refused: ${refused}.`, { code: 'signed_out' }))
    else resolve(received)
  })
  await new Promise<void>((opened, failed) => server.once('error', failed).listen(0, '127.0.0.1', opened))
  const timer = setTimeout(
    () => reject(new Failed('signedOut', 'The sign-in took longer than five minutes.', { code: 'signed_out' })),
    patienceMs,
  )
  const code = answered.finally(() => {
    clearTimeout(timer)
    server.close()
  })
  // It may be refused before it is awaited.
  code.catch(() => undefined)
  return { redirectUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`, code }
}

/** Without a browser, the printed address is enough. */
function openBrowser(address: string): void {
  const [program, ...before] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler']
        : ['xdg-open']
  execFile(program ?? 'open', [...before, address], () => undefined).unref()
}
