import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OwnSession } from '#lib/schemas/sessions.ts'
import { payload, startApi, type TestApi } from '#server/testing/api.ts'
import { Browser } from '#server/testing/auth/browser.ts'
import { authorizationRequest, refresh, signIn, type Tokens } from '#server/testing/auth/sign-in.ts'

// A person’s sessions over HTTP: what the list shows, what ends with a session, and whose sessions a caller can end.

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
}, 180_000)
afterAll(() => api.close())

const realm = () => `${api.baseUrl}/realms/northwind`
const passwordOf = (username: string) =>
  api.credentials.tenants.find(({ slug }) => slug === 'northwind')?.users.find((user) => user.username === username)
    ?.password ?? ''
async function signInWith(userAgent: string, username: string): Promise<{ browser: Browser; tokens: Tokens }> {
  const browser = new Browser({ 'user-agent': userAgent })
  const tokens = await signIn(api.baseUrl, 'northwind', username, passwordOf(username), { browser })
  return { browser, tokens }
}
const listOf = async (token: string) =>
  payload<{ sessions: OwnSession[] }>(await api.query(token, 'sessions.list')).sessions
const meStatus = async (token: string) => (await api.query(token, 'session.me')).status
/** Whether the browser’s cookie still signs in to the console without a password. The command line always asks for it. */
async function signsInAgain(browser: Browser): Promise<boolean> {
  const client = { clientId: 'countersign-console', redirectUri: `${api.baseUrl}/auth/callback` }
  const { url } = authorizationRequest(realm(), client, { prompt: 'none' })
  const { location } = await browser.follow(await browser.visit(url), client.redirectUri)
  return new URL(location ?? '').searchParams.has('code')
}

test('the list shows device, address, application and times, and which session is the caller’s', async () => {
  const one = await signInWith(firefox, 'anna')
  const two = await signInWith(safari, 'anna')
  // Sign-ins of the same second are in no particular order.
  const shown = async (token: string) =>
    (await listOf(token)).sort((a, b) => (a.device ?? '').localeCompare(b.device ?? ''))
  const sessions = await shown(two.tokens.accessToken)
  expect(sessions).toEqual([
    expect.objectContaining({ device: 'Firefox on Linux', current: false, applications: ['countersign-cli'] }),
    expect.objectContaining({ device: 'Safari on iOS', current: true, applications: ['countersign-cli'] }),
  ])
  for (const { address, signedInAt, lastUsedAt, expiresAt } of sessions) {
    expect(address).toMatch(/^(127\.0\.0\.1|::1)$/)
    expect(Date.parse(lastUsedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(signedInAt))
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now())
  }
  expect((await shown(one.tokens.accessToken)).map(({ current }) => current)).toEqual([true, false])
})

test('renewing a token counts as a use', async () => {
  const { tokens } = await signInWith(firefox, 'vera')
  const [before] = await listOf(tokens.accessToken)
  expect((await refresh(realm(), tokens.refreshToken)).status).toBe(200)
  const [after] = await listOf(tokens.accessToken)
  expect(Date.parse(after?.lastUsedAt ?? '')).toBeGreaterThan(Date.parse(before?.lastUsedAt ?? ''))
  // The program that renews is not the browser of the sign-in.
  expect(after).toMatchObject({ id: before?.id, device: 'Firefox on Linux' })
})

test('a session that is ended loses its tokens and its cookie, and the others stay', async () => {
  const kept = await signInWith(firefox, 'omar')
  const ended = await signInWith(safari, 'omar')
  const other = (await listOf(kept.tokens.accessToken)).find(({ current }) => !current)
  expect(payload(await api.mutate(kept.tokens.accessToken, 'sessions.end', { id: other?.id }))).toEqual({ ended: 1 })
  expect(await meStatus(ended.tokens.accessToken)).toBe(401)
  expect((await refresh(realm(), ended.tokens.refreshToken)).status).toBe(400)
  expect(await signsInAgain(ended.browser)).toBe(false)
  expect(await signsInAgain(kept.browser)).toBe(true)
  expect(await meStatus(kept.tokens.accessToken)).toBe(200)
  expect((await refresh(realm(), kept.tokens.refreshToken)).status).toBe(200)
  expect((await listOf(kept.tokens.accessToken)).map(({ id }) => id)).not.toContain(other?.id)
  // Ending it again finds nothing.
  expect(payload(await api.mutate(kept.tokens.accessToken, 'sessions.end', { id: other?.id }))).toEqual({ ended: 0 })
})

test('signing out everywhere else ends all other sessions and is recorded', async () => {
  const others = [await signInWith(safari, 'maria'), await signInWith(firefox, 'maria')]
  const { tokens } = await signInWith(firefox, 'maria')
  const { ended } = payload<{ ended: number }>(await api.mutate(tokens.accessToken, 'sessions.endOthers', undefined))
  expect(ended).toBe(2)
  for (const other of others) expect(await meStatus(other.tokens.accessToken)).toBe(401)
  expect(await listOf(tokens.accessToken)).toEqual([expect.objectContaining({ current: true })])
  const records = await api.query(await api.person('vera'), 'audit.list', { action: 'session.others_ended' })
  expect(payload<{ items: { record: { details: unknown } }[] }>(records).items).toHaveLength(1)
})

describe('the session of another person', () => {
  test('is neither listed nor ended, and its id is answered like an unknown one', async () => {
    const jonas = await signInWith(firefox, 'jonas')
    const [session] = await listOf(jonas.tokens.accessToken)
    const stranger = (await signInWith(safari, 'anna')).tokens.accessToken
    expect((await listOf(stranger)).map(({ id }) => id)).not.toContain(session?.id)
    const theirs = await api.mutate(stranger, 'sessions.end', { id: session?.id })
    const unknown = await api.mutate(stranger, 'sessions.end', { id: 'unknown-session' })
    expect(payload(theirs)).toEqual({ ended: 0 })
    expect([theirs.status, theirs.text]).toEqual([unknown.status, unknown.text])
    expect(await meStatus(jonas.tokens.accessToken)).toBe(200)
  })

  test('is out of reach for a machine', async () => {
    const machine = await api.client('ci-pipeline')
    expect(await listOf(machine)).toEqual([])
    expect(payload(await api.mutate(machine, 'sessions.end', { id: 'unknown-session' }))).toEqual({ ended: 0 })
    expect(payload(await api.mutate(machine, 'sessions.endOthers', undefined))).toEqual({ ended: 0 })
  })
})
