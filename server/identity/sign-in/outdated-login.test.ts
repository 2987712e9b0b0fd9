import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Browser } from '#server/testing/auth/browser.ts'
import { authorizationRequest, commandLine, sendSignIn, signIn } from '#server/testing/auth/sign-in.ts'
import { type IdentityServer, identityServer, type TestRealm, testRealm } from '#server/testing/identity-server.ts'
import { asOwner, connectAsOwner } from '#server/testing/owner.ts'
import { until } from '#server/testing/until.ts'

let server: IdentityServer
let northwind: TestRealm
beforeAll(async () => {
  server = await identityServer()
  northwind = await testRealm(server, 'northwind')
  await northwind.person('maria', ['developer'])
})
afterAll(() => server.close())

describe('a sign-in that has not reached its last redirect', () => {
  const complete = async (username: string, password: string) => {
    const browser = new Browser()
    const request = authorizationRequest(northwind.realmUrl)
    const page = await browser.follow(await browser.visit(request.url))
    const sent = await sendSignIn(browser, page, username, password)
    expect(sent.status).toBe(303)
    return { follow: () => browser.follow(sent, commandLine.redirectUri) }
  }
  const changePassword = async (username: string, current: string) => {
    const fields = { username, current, password: fresh, again: fresh }
    expect((await new Browser().visit(`${northwind.realmUrl}/password`, fields)).status).toBe(200)
  }
  const fresh = 'seven quiet harbour lamps'
  const interactions = (statement: string, values: unknown[]) =>
    asOwner(server.runtime, `${statement} where tenant_id = $1 and model = 'Interaction'`, [northwind.id, ...values])

  test('gets no code after the password has changed', async () => {
    const { userId, password } = await northwind.person('held', ['developer'])
    const held = await complete('held', password)
    await changePassword('held', password)
    const answer = await held.follow()
    expect([answer.location, answer.status]).toEqual([undefined, 400])
    const rows = await server.runtime.database.inTenant(northwind.id, (tx) =>
      tx.selectFrom('realmArtifacts').select('payload').where('tenantId', '=', northwind.id).execute(),
    )
    expect(JSON.stringify(rows)).not.toContain(userId)
    const tokens = await signIn(server.url, 'northwind', 'held', fresh)
    expect(decodeJwt(tokens.accessToken).sub).toBe(userId)
  })

  test('has to enter the password again, even if a concurrent request stored it after the change', async () => {
    const { userId, password } = await northwind.person('held-again', ['developer'])
    const held = await complete('held-again', password)
    await interactions(`update realm_artifacts set payload = payload #- '{result,login,accountId}'`, [])
    await changePassword('held-again', password)
    const restored = `payload = jsonb_set(payload, '{result,login,accountId}', to_jsonb($2::text))`
    await interactions(`update realm_artifacts set ${restored}`, [userId])
    const answer = await held.follow()
    expect([answer.location, answer.status]).toEqual([undefined, 200])
    expect(answer.text).toContain('<form method="post"')
  })

  test('is refused if the password is reset before it is known to be the stored one', async () => {
    const { userId, password } = await northwind.person('under-way', ['developer'])
    const browser = new Browser()
    const page = await browser.follow(await browser.visit(authorizationRequest(northwind.realmUrl).url))
    const owner = await connectAsOwner(server.runtime)
    try {
      await owner.query('begin')
      await owner.query(
        `update realm_users set password_hash = (select password_hash from realm_users where username = 'maria')
         where id = $1`,
        [userId],
      )
      const sent = sendSignIn(browser, page, 'under-way', password)
      await until(async () => {
        const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        return (await owner.query(waiting)).rowCount === 1 || undefined
      }, 'the sign-in to wait')
      await owner.query('commit')
      const answer = await sent
      expect([answer.status, answer.location]).toEqual([200, undefined])
      expect(answer.text).toContain('The user name or the password is wrong.')
    } finally {
      await owner.end()
    }
  })
})
