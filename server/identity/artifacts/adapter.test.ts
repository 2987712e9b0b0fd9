import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Browser } from '#server/testing/auth/browser.ts'
import type { Prover } from '#server/testing/auth/dpop.ts'
import {
  authorizationRequest,
  authorize,
  consoleClient,
  exchangeCode,
  type PublicClient,
  readTokens,
  refresh,
  signIn,
} from '#server/testing/auth/sign-in.ts'
import { type IdentityServer, identityServer, type TestRealm, testRealm } from '#server/testing/identity-server.ts'
import { purgeExpired } from './adapter.ts'

let server: IdentityServer
let northwind: TestRealm
let globex: TestRealm
let maria: { userId: string; password: string }
let mariaOfGlobex: { userId: string; password: string }
let atConsole: PublicClient & { prover: Prover }

beforeAll(async () => {
  server = await identityServer()
  northwind = await testRealm(server, 'northwind')
  globex = await testRealm(server, 'globex')
  maria = await northwind.person('maria', ['developer'])
  mariaOfGlobex = await globex.person('maria', ['auditor'])
  atConsole = await consoleClient(server.url)
})
afterAll(() => server.close())

const signInAtConsole = (browser = new Browser()) =>
  signIn(server.url, 'northwind', 'maria', maria.password, { client: atConsole, browser })

const renew = (refreshToken: string, realm = northwind) => refresh(realm.realmUrl, refreshToken, atConsole)

const artifacts = (realm: TestRealm) =>
  server.runtime.database.inTenant(realm.id, (tx) =>
    tx.selectFrom('realmArtifacts').selectAll().where('tenantId', '=', realm.id).execute(),
  )

describe('artifacts in the database', () => {
  test('contain no code, refresh token or session cookie as plain text', async () => {
    const browser = new Browser()
    const request = authorizationRequest(northwind.realmUrl, atConsole)
    const code = await authorize(browser, request, 'maria', maria.password)
    const { refreshToken } = await readTokens(await exchangeCode(request, code))
    // A second sign-in page, opened with an existing session.
    const again = authorizationRequest(northwind.realmUrl, atConsole, { prompt: 'login' })
    await browser.follow(await browser.visit(again.url))
    const cookies = browser.cookies(`${northwind.realmUrl}/x`).filter(({ name }) => name.endsWith('_session'))
    const rows = JSON.stringify(await artifacts(northwind))
    expect(cookies).toHaveLength(1)
    for (const secret of [code, refreshToken, ...cookies.map(({ value }) => value)]) expect(rows).not.toContain(secret)
    expect(rows).toContain(maria.userId)
  })

  test('are purged once they have expired, and not before', async () => {
    const { refreshToken } = await signInAtConsole()
    const { refreshToken: other } = await signIn(server.url, 'globex', 'maria', mariaOfGlobex.password, {
      client: atConsole,
    })
    await server.runtime.database.inTenant(northwind.id, (tx) =>
      tx
        .updateTable('realmArtifacts')
        .set({ expiresAt: new Date(Date.now() - 1000) })
        .where('tenantId', '=', northwind.id)
        .where('model', '=', 'AuthorizationCode')
        .execute(),
    )
    const codes = (await artifacts(northwind)).filter(({ model }) => model === 'AuthorizationCode').length
    expect(codes).toBeGreaterThan(0)
    expect(await purgeExpired(northwind.id)).toBe(codes)
    expect(await purgeExpired(northwind.id)).toBe(0)
    expect((await renew(refreshToken)).status).toBe(200)
    expect((await renew(other, globex)).status).toBe(200)
  })
})
