import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endSession } from '#server/identity/sessions/end-session.ts'
import { findSessions } from '#server/identity/sessions/store.ts'
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
import { until } from '#server/testing/until.ts'
import { artifactAdapter, endSessions, familyOf, isFamilyAlive, purgeExpired } from './adapter.ts'

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

describe('a session that has ended stays ended when a request that had read it writes it again', () => {
  const inRealm = <T>(work: Parameters<typeof server.runtime.database.inTenant<T>>[1]) =>
    server.runtime.database.inTenant(northwind.id, work)
  const sessions = () => artifactAdapter(northwind.id, 'Session')
  const grants = () => artifactAdapter(northwind.id, 'Grant')
  const accountOf = (name: string) => ({ tenantId: northwind.id, accountId: `account-${name}` })

  /** A session with one grant, and both written again as that request does, also under a new cookie. */
  async function signedIn(name: string) {
    const { accountId } = accountOf(name)
    const grant = { accountId, clientId: 'countersign-cli', exp: 2_000_000_000 }
    const authorizations = { 'countersign-cli': { grantId: `grant-${name}` } }
    const session = { uid: `uid-${name}`, accountId, loginTs: 1_800_000_000, authorizations }
    const write = async (id: string) => {
      await grants().upsert(`grant-${name}`, grant, 3600)
      await sessions().upsert(id, { jti: id, ...session }, 3600)
    }
    await write(name)
    const ofAccount = () => inRealm((tx) => findSessions(tx, accountOf(name)))
    expect(await ofAccount()).toHaveLength(1)
    const isSignedIn = async () => [
      (await sessions().find(name)) !== undefined || (await sessions().find(`new-${name}`)) !== undefined,
      (await sessions().findByUid(session.uid)) !== undefined,
      (await grants().find(`grant-${name}`)) !== undefined,
      await inRealm((tx) => isFamilyAlive(tx, northwind.id, familyOf(`grant-${name}`))),
      (await ofAccount()).length > 0,
    ]
    expect(await isSignedIn()).toEqual([true, true, true, true, true])
    return { write, isSignedIn, ofAccount, session }
  }
  const ended = [false, false, false, false, false]

  test.each([
    [
      'by its person',
      async (name: string) => {
        const [session] = await inRealm((tx) => findSessions(tx, accountOf(name)))
        if (session === undefined) throw new Error('The session is missing.')
        await inRealm((tx) => endSession(tx, northwind.id, session))
      },
    ],
    ['everywhere', (name: string) => inRealm((tx) => endSessions(tx, northwind.id, accountOf(name).accountId))],
  ])('%s', async (how, end) => {
    const name = how.replaceAll(' ', '-')
    const { write, isSignedIn } = await signedIn(name)
    await end(name)
    expect(await isSignedIn()).toEqual(ended)
    await write(name)
    await write(`new-${name}`)
    expect(await isSignedIn()).toEqual(ended)
    // What was ended just now is not purged.
    await purgeExpired(northwind.id)
    await write(name)
    expect(await isSignedIn()).toEqual(ended)
    const kept = (await artifacts(northwind)).filter(
      ({ consumedAt, model }) => consumedAt !== null && model === 'Session',
    )
    expect(JSON.stringify(kept)).not.toContain(accountOf(name).accountId)
  })

  test('by signing out, with the cookie of that time', async () => {
    const { session } = await signedIn('out')
    await sessions().destroy('out')
    await sessions().upsert('out', { jti: 'out', ...session }, 3600)
    expect(await sessions().find('out')).toBeUndefined()
  })

  test('at the same time', async () => {
    const { write, isSignedIn, ofAccount } = await signedIn('same-time')
    const [session] = await ofAccount()
    if (session === undefined) throw new Error('The session is missing.')
    let written: Promise<void> | undefined
    await inRealm(async (tx) => {
      await endSession(tx, northwind.id, session)
      written = write('same-time')
      // It waits for this transaction.
      const waiting = sql<{ waits: boolean }>`
        select exists (select from pg_stat_activity where wait_event_type = 'Lock'
          and datname = current_database() and query like '%realm_artifacts%') as waits`
      await until(async () => {
        const { rows } = await inRealm((other) => waiting.execute(other))
        return rows[0]?.waits === true || undefined
      }, 'the writer to wait')
    })
    await written
    expect(await isSignedIn()).toEqual(ended)
  })

  test('but one that only gets another cookie stays', async () => {
    const { session } = await signedIn('cookie')
    await sessions().destroy('cookie')
    await sessions().upsert('new-cookie', { jti: 'new-cookie', ...session }, 3600)
    expect(await sessions().findByUid(session.uid)).toBeDefined()
  })
})
