import { decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { verifyAccessToken, verifyBearer } from '#server/kernel/auth/bearer.ts'
import { issuerOf } from '#server/kernel/auth/realm.ts'
import { api } from '#server/routes.ts'
import { createMember } from '#server/tenants/create-tenant.ts'
import { newProver, type Prover } from '#server/testing/auth/dpop.ts'
import { consoleClient, type PublicClient, readTokens, refresh, signIn } from '#server/testing/auth/sign-in.ts'
import { type IdentityServer, identityServer, type TestRealm, testRealm } from '#server/testing/identity-server.ts'
import { asOwner } from '#server/testing/owner.ts'

let server: IdentityServer
let northwind: TestRealm
let maria: { userId: string; password: string }
let clientSecret: string
let atConsole: PublicClient & { prover: Prover }

beforeAll(async () => {
  server = await identityServer()
  northwind = await testRealm(server, 'northwind')
  maria = await northwind.person('maria', ['developer'])
  clientSecret = (await northwind.service('ci-pipeline', ['viewer'])).clientSecret
  atConsole = await consoleClient(server.url)
})
afterAll(() => server.close())
afterEach(() => vi.useRealTimers())

const signInAtConsole = () => signIn(server.url, 'northwind', 'maria', maria.password, { client: atConsole })

const renew = (refreshToken: string, client: Pick<PublicClient, 'clientId' | 'prover'> = atConsole) =>
  refresh(northwind.realmUrl, refreshToken, client)

const expectRefused = async (response: Response) => {
  expect([response.status, (await response.json()).error]).toEqual([400, 'invalid_grant'])
}

/** Moves the use of every used refresh token `seconds` into the past: the grace period follows the database's clock. */
const makeUsed = (seconds: number) =>
  asOwner(
    server.runtime,
    `update realm_artifacts set consumed_at = consumed_at - make_interval(secs => $1) where consumed_at is not null`,
    [seconds],
  )

/** Moves only the clock of this process, not the database's. */
const at = (milliseconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds })

const ask = (path: string, token: string, tenant = northwind, headers: Record<string, string> = {}) =>
  Promise.resolve(
    api.fetch(
      new Request(`${server.url}/v1/${path}`, {
        headers: { authorization: `Bearer ${token}`, 'x-svc-tenant-external-id': tenant.externalId, ...headers },
      }),
    ),
  )
const statusOf = async (token: string, tenant = northwind) => (await ask('session.me', token, tenant)).status

/** An open stream, with everything that it sends until it ends. */
async function stream(token: string, tenant = northwind): Promise<{ sent: Promise<string> }> {
  const answer = await ask('session.watch', token, tenant, { accept: 'text/event-stream' })
  expect(answer.status).toBe(200)
  return { sent: answer.text() }
}

async function introspected(token: string): Promise<boolean> {
  const body = new URLSearchParams({ token, client_id: 'ci-pipeline', client_secret: clientSecret })
  const url = `${northwind.realmUrl}/protocol/openid-connect/token/introspect`
  return (await (await fetch(url, { method: 'POST', body })).json()).active
}

describe('a refresh token', () => {
  test('yields new tokens and a new refresh token', async () => {
    const first = await signInAtConsole()
    const second = await readTokens(await renew(first.refreshToken))
    expect(second.refreshToken).not.toBe(first.refreshToken)
    expect(second.scope).toBe('openid profile email')
    expect(decodeJwt(second.idToken)).toMatchObject({ sub: maria.userId, name: 'maria of northwind' })
    await expect(verifyAccessToken(second.accessToken)).resolves.toMatchObject({
      token: { subject: maria.userId },
      claims: { cnf: { jkt: atConsole.prover.thumbprint } },
    })
    expect((await renew(second.refreshToken)).status).toBe(200)
  })

  test('used again after thirty seconds ends the whole family, even for the holder of the key', async () => {
    const first = await signInAtConsole()
    const second = await readTokens(await renew(first.refreshToken))
    const again = await readTokens(await renew(first.refreshToken))
    await makeUsed(31)
    await expectRefused(await renew(first.refreshToken))
    await expectRefused(await renew(second.refreshToken))
    await expectRefused(await renew(again.refreshToken))
  })

  test('that ends its family ends every access token of it, in every tenant and every stream, and those of no other', async () => {
    const globex = await testRealm(server, 'globex')
    await server.runtime.database.inTenant(globex.id, (tx) =>
      createMember(tx, globex, {
        issuer: issuerOf('northwind'),
        subject: maria.userId,
        kind: 'person',
        username: 'maria-of-northwind',
        displayName: 'Maria',
        roles: ['viewer'],
      }),
    )
    const renewAtCli = (token: string) => refresh(northwind.realmUrl, token)
    const [first, other] = [
      await signIn(server.url, 'northwind', 'maria', maria.password),
      await signIn(server.url, 'northwind', 'maria', maria.password),
    ]
    const second = await readTokens(await renewAtCli(first.refreshToken))
    const family = [first.accessToken, second.accessToken]
    for (const token of family) {
      expect(await statusOf(token)).toBe(200)
      expect(await statusOf(token, globex)).toBe(200)
      expect(await introspected(token)).toBe(true)
    }
    const streams = await Promise.all([stream(second.accessToken), stream(second.accessToken, globex)])
    await makeUsed(31)
    await expectRefused(await renewAtCli(first.refreshToken))
    for (const token of family) {
      expect(await statusOf(token)).toBe(401)
      expect(await statusOf(token, globex)).toBe(401)
      expect(await introspected(token)).toBe(false)
    }
    for (const { sent } of streams) expect(await sent).toContain('"reason":"unauthorized"')
    expect(await statusOf(other.accessToken)).toBe(200)
  })

  test('used again within thirty seconds returns new tokens to the holder of its key: a reload lost the response', async () => {
    const first = await signInAtConsole()
    const lost = await renew(first.refreshToken)
    await lost.body?.cancel()
    await makeUsed(25)
    const second = await readTokens(await renew(first.refreshToken))
    const third = await readTokens(await renew(second.refreshToken))
    await expect(verifyAccessToken(third.accessToken)).resolves.toMatchObject({
      claims: { cnf: { jkt: atConsole.prover.thumbprint } },
    })
    // A repeat does not prolong the grace, which begins at the first use.
    await makeUsed(10)
    await expectRefused(await renew(first.refreshToken))
    await expectRefused(await renew(third.refreshToken))
  })

  test('used again with another key, or with none, returns nothing and ends nothing', async () => {
    const first = await signInAtConsole()
    const second = await readTokens(await renew(first.refreshToken))
    await expectRefused(await renew(first.refreshToken, { ...atConsole, prover: await newProver() }))
    await expectRefused(await renew(first.refreshToken, { clientId: atConsole.clientId }))
    expect((await renew(second.refreshToken)).status).toBe(200)
  })

  test('serves fifty concurrent uses by the holder of its key, and each response can be renewed', async () => {
    const { refreshToken } = await signInAtConsole()
    const answers = await Promise.all(Array.from({ length: 50 }, () => renew(refreshToken)))
    const tokens = await Promise.all(answers.map(readTokens))
    expect(new Set(tokens.map((one) => one.refreshToken)).size).toBe(50)
    for (const one of tokens) expect((await renew(one.refreshToken)).status).toBe(200)
  })

  test('is refused to another client during its grace period, without ending the family', async () => {
    const first = await signInAtConsole()
    const second = await readTokens(await renew(first.refreshToken))
    await expectRefused(await renew(first.refreshToken, { clientId: 'countersign-cli' }))
    expect((await renew(second.refreshToken)).status).toBe(200)
  })

  describe('without a key', () => {
    const renewAtCli = (refreshToken: string) => refresh(northwind.realmUrl, refreshToken)
    const signInAtCli = () => signIn(server.url, 'northwind', 'maria', maria.password)

    test('used again within five seconds is refused, and its family remains valid', async () => {
      const first = await signInAtCli()
      const second = await readTokens(await renewAtCli(first.refreshToken))
      await makeUsed(4)
      await expectRefused(await renewAtCli(first.refreshToken))
      const third = await readTokens(await renewAtCli(second.refreshToken))
      // Each token has a grace of its own, and the first token's is over.
      await makeUsed(2)
      await expectRefused(await renewAtCli(first.refreshToken))
      await expectRefused(await renewAtCli(third.refreshToken))
    })

    test('serves exactly one of fifty concurrent uses, and its family remains valid', async () => {
      const { refreshToken } = await signInAtCli()
      const answers = await Promise.all(Array.from({ length: 50 }, () => renewAtCli(refreshToken)))
      const [served, ...others] = answers.filter(({ status }) => status === 200)
      expect([served?.status, others.length]).toEqual([200, 0])
      for (const answer of answers) if (answer.status !== 200) await expectRefused(answer)
      const renewed = await readTokens(await renewAtCli((await readTokens(served ?? new Response())).refreshToken))
      await expect(verifyAccessToken(renewed.accessToken)).resolves.toMatchObject({ token: { subject: maria.userId } })
    })
  })

  test('brings the roles of now, not those of the sign-in', async () => {
    const anna = await northwind.person('anna', ['approver'])
    const tokens = await signIn(server.url, 'northwind', 'anna', anna.password)
    await server.runtime.database.inTenant(northwind.id, (tx) =>
      tx
        .updateTable('members')
        .set({ roles: ['viewer'] })
        .where('tenantId', '=', northwind.id)
        .where('subject', '=', anna.userId)
        .execute(),
    )
    const renewed = await readTokens(await refresh(northwind.realmUrl, tokens.refreshToken))
    expect((await verifyBearer(`Bearer ${renewed.accessToken}`)).roles).toEqual(['viewer'])
  })

  test('works only for the client that got it', async () => {
    const { refreshToken } = await signInAtConsole()
    await expectRefused(await renew(refreshToken, { clientId: 'countersign-cli' }))
    expect((await renew(refreshToken)).status).toBe(200)
  })

  test('lives for an hour without use', async () => {
    const { refreshToken } = await signInAtConsole()
    at(61 * 60_000)
    await expectRefused(await renew(refreshToken))
  })

  test('lives for at most twelve hours, however often it is renewed', async () => {
    let { refreshToken } = await signInAtConsole()
    for (let hours = 0; hours < 11; hours++) {
      at(59 * 60_000)
      refreshToken = (await readTokens(await renew(refreshToken))).refreshToken
    }
    at(59 * 60_000)
    refreshToken = (await readTokens(await renew(refreshToken))).refreshToken
    at(15 * 60_000)
    await expectRefused(await renew(refreshToken))
  })

  test('ends when it is revoked, with a response without a content type for its empty body', async () => {
    const { refreshToken } = await signInAtConsole()
    const body = new URLSearchParams({ token: refreshToken, client_id: 'countersign-console' })
    const url = `${northwind.realmUrl}/protocol/openid-connect/revoke`
    const answer = await fetch(url, { method: 'POST', body, headers: { origin: server.url } })
    expect([answer.status, await answer.text()]).toEqual([200, ''])
    expect(answer.headers.get('content-type')).toBeNull()
    await expectRefused(await renew(refreshToken))
  })

  test('ends with its access tokens when it is revoked', async () => {
    const { accessToken, refreshToken } = await signIn(server.url, 'northwind', 'maria', maria.password)
    expect(await statusOf(accessToken)).toBe(200)
    const body = new URLSearchParams({ token: refreshToken, client_id: 'countersign-cli' })
    await fetch(`${northwind.realmUrl}/protocol/openid-connect/revoke`, { method: 'POST', body })
    expect(await statusOf(accessToken)).toBe(401)
  })
})
