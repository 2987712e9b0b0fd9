import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { lockOut } from '#server/identity/links/sign-in-links.ts'
import { issuerOf } from '#server/kernel/auth/realm.ts'
import { lockForPassword } from '#server/tenants/activate.ts'
import { Browser, type Visit } from '#server/testing/auth/browser.ts'
import { authorizationRequest, refresh, signIn, type Tokens } from '#server/testing/auth/sign-in.ts'
import { type IdentityServer, identityServer, type TestRealm, testRealm } from '#server/testing/identity-server.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { until } from '#server/testing/until.ts'

let server: IdentityServer
let realm: TestRealm
let password: string
let userId: string
let slugs = 0
beforeAll(async () => {
  server = await identityServer()
})
beforeEach(async () => {
  realm = await testRealm(server, `realm-${++slugs}`)
  ;({ password, userId } = await realm.person('maria', ['developer']))
})
afterAll(() => server.close())

const fresh = 'seven quiet harbour lamps'
const signedIn = (secret: string): Promise<Tokens> => signIn(server.url, realm.slug, 'maria', secret)
const change = (fields: Record<string, string> = {}, browser = new Browser()): Promise<Visit> =>
  browser.visit(`${realm.realmUrl}/password`, {
    username: 'maria',
    current: password,
    password: fresh,
    again: fresh,
    ...fields,
  })
const mails = () =>
  server.runtime.database.inTenant(realm.id, (tx) =>
    tx.selectFrom('mails').select(['kind', 'delivery']).where('tenantId', '=', realm.id).execute(),
  )

test('people change their own password: sessions and tokens end, and they are notified', async () => {
  const before = await signedIn(password)
  const browser = new Browser()
  const form = await browser.follow(await browser.visit(authorizationRequest(realm.realmUrl).url))
  expect(form.text).toContain(`href="${realm.realmUrl}/password"`)
  const page = await new Browser().visit(`${realm.realmUrl}/password`)
  expect([page.status, page.text.includes('name="current"')]).toEqual([200, true])
  const done = await change()
  expect([done.status, done.text.includes('Your password is changed')]).toEqual([200, true])
  expect((await refresh(realm.realmUrl, before.refreshToken)).status).toBe(400)
  const userinfo = `${realm.realmUrl}/protocol/openid-connect/userinfo`
  expect((await fetch(userinfo, { headers: { authorization: `Bearer ${before.accessToken}` } })).status).toBe(401)
  await expect(signedIn(password)).rejects.toThrow()
  expect((await signedIn(fresh)).accessToken).toBeDefined()
  expect(await mails()).toEqual([{ kind: 'password_changed', delivery: 'failed' }])
})

test.each<[string, Record<string, string>, number, RegExp]>([
  ['a wrong current password', { current: 'wrong' }, 403, /The user name or the current password is wrong/],
  ['an unknown user name', { username: 'unknown-person' }, 403, /The user name or the current password is wrong/],
  ['two different new passwords', { again: 'seven loud harbour lamps' }, 422, /do not match/],
  ['a short password', { password: 'short', again: 'short' }, 422, /at least 12 characters/],
  ['a common password', { password: '1qaz2wsx3edc', again: '1qaz2wsx3edc' }, 422, /easy to guess/],
])('refuses %s, and nothing changes', async (_case, fields, status, message) => {
  const refused = await change(fields)
  expect([refused.status, refused.text]).toEqual([status, expect.stringMatching(message)])
  expect((await signedIn(password)).accessToken).toBeDefined()
  expect(await mails()).toEqual([])
})

test('refuses the current password as the new one, and a form of another site', async () => {
  expect((await change({ password, again: password })).text).toContain('differs from the current one')
  const url = `${realm.realmUrl}/password`
  const body = new URLSearchParams({ username: 'maria', current: password, password: fresh, again: fresh })
  const foreign = await fetch(url, { method: 'POST', body, headers: { origin: 'https://evil.example' } })
  expect(foreign.status).toBe(403)
  expect((await fetch(url, { method: 'PUT' })).status).toBe(405)
  expect((await signedIn(password)).accessToken).toBeDefined()
})

test('counts its guesses with those of the sign-in form', async () => {
  const guesses = []
  for (let guess = 0; guess < 11; guess++) guesses.push((await change({ current: 'wrong' })).status)
  expect(guesses).toEqual([...Array.from({ length: 10 }, () => 403), 429])
  await expect(signedIn(password)).rejects.toThrow('429')
})

test('a change under way does not overwrite a reset', async () => {
  const owner = await connectAsOwner(server.runtime)
  try {
    let sent: Promise<Visit> | undefined
    await server.runtime.database.inTenant(realm.id, async (tx) => {
      await lockForPassword(tx, realm.id, { issuer: issuerOf(realm.slug), subject: userId })
      sent = change()
      await until(async () => {
        const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        return (await owner.query(waiting)).rowCount === 1 || undefined
      }, 'the change to wait')
      await lockOut(tx, realm.id, userId)
    })
    const refused = await sent
    expect([refused?.status, refused?.text]).toEqual([
      403,
      expect.stringContaining('The user name or the current password is wrong'),
    ])
    await expect(signedIn(fresh)).rejects.toThrow()
    expect(await mails()).toEqual([])
  } finally {
    await owner.end()
  }
})
