import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '#server/kernel/config.ts'
import { runTenantCommand } from '#server/tenant-command.ts'
import { callsTo, payload } from '#server/testing/api.ts'
import { testDatabase } from '#server/testing/database.ts'
import { freePort } from '#server/testing/free-port.ts'
import { serverProcess } from '#server/testing/processes/environment.ts'
import { until } from '#server/testing/until.ts'
import { openChromium } from '../../../bench/chromium.ts'
import { type Keycloak, startKeycloak } from './process.ts'
import { addressOf, keycloakRealm, letGroupsDecide, password } from './realm.ts'

// The console in a real browser with a real Keycloak, set up as docs/identity-providers.md says: with Keycloak's DPoP, and without.

const root = join(import.meta.dirname, '../../..')
const buildMs = 600_000

describe.each([
  { name: 'with DPoP', scheme: 'DPoP', options: [] },
  { name: 'without DPoP', scheme: 'Bearer', options: ['--features-disabled=dpop'] },
])('$name', ({ scheme, options }) => {
  let keycloak: Keycloak
  let realm: ReturnType<typeof keycloakRealm>
  let realmUrl: string
  let database: Awaited<ReturnType<typeof testDatabase>>
  let server: ChildProcess
  let settings: Record<string, string>
  let origin: string
  let folder: string
  let browser: Browser
  beforeAll(async () => {
    const [keycloakPort, port] = [await freePort(), await freePort()]
    const auth = `http://localhost:${keycloakPort}`
    origin = `http://localhost:${port}`
    realmUrl = `${auth}/realms/northwind`
    folder = await mkdtemp(join(tmpdir(), 'countersign-keycloak-console-'))
    database = await testDatabase()
    settings = {
      PORT: String(port),
      DATABASE_URL: database.ownerUrl,
      DATA_DIR: join(folder, 'data'),
      AUTH_URL: auth,
      LOG_LEVEL: 'error',
    }
    keycloak = await startKeycloak(auth, { COUNTERSIGN_REALM: 'northwind', COUNTERSIGN_URL: origin }, options)
    realm = keycloakRealm(keycloak, realmUrl)
    server = spawn(process.execPath, [join(root, 'cli/start.mjs')], {
      // Without the .env of this clone.
      cwd: folder,
      env: { ...serverProcess.environment, NODE_ENV: 'production', ...settings },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    await until(
      async () => {
        if (server.exitCode !== null) throw new Error('The server ended before it was ready.')
        const answer = await fetch(`${origin}/v1/health/ready`).catch(() => undefined)
        return answer?.ok === true ? true : undefined
      },
      'the start of the server',
      buildMs,
    )
    await operator('create', 'northwind', '--admin', addressOf('ada'), '--approvers', addressOf('boris'))
    browser = await openChromium()
  }, buildMs + 400_000)
  afterAll(async () => {
    await browser.close()
    server.kill('SIGTERM')
    await once(server, 'exit')
    await keycloak.close()
    await database.close()
    await rm(folder, { recursive: true })
  }, 60_000)

  const operator = (...words: string[]) =>
    runTenantCommand(
      () => loadConfig(settings),
      words,
      () => undefined,
    )

  /** Signs in through the console in a browser of one's own. */
  async function signIn(username: string): Promise<{ page: Page; context: BrowserContext }> {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${origin}/sign-in`)
    await page.getByRole('textbox', { name: 'Organisation' }).fill('northwind')
    await page.getByRole('button', { name: 'Continue' }).click()
    await enterPassword(page, username)
    await page.waitForURL(`${origin}/t/northwind`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    return { page, context }
  }
  async function enterPassword(page: Page, username: string): Promise<void> {
    await page.waitForURL((url) => url.href.startsWith(realmUrl))
    await page.locator('#username').fill(username)
    await page.locator('#password').fill(password)
    await page.locator('#kc-login').click()
  }
  /** The roles that the account's menu shows, between the name and the themes, after a reload, which renews the token. */
  async function rolesShown(page: Page): Promise<string> {
    await page.reload()
    await page.getByRole('button', { name: /Keycloak/ }).click()
    const [, roles = ''] = /Keycloak\s([\s\S]*?)Theme/i.exec(await page.getByRole('menu').innerText()) ?? []
    return roles.trim()
  }

  test('a person signs in, works with renewed tokens, and signs out here and at Keycloak', async () => {
    await realm.addPerson('tara', ['viewer', 'developer'])
    const { page, context } = await signIn('tara')
    const renewals: { proof: boolean; status: number | undefined }[] = []
    const schemes = new Set<string | undefined>()
    page.on('requestfinished', async (request) => {
      const headers = request.headers()
      if (request.url().startsWith(`${origin}/v1/`)) schemes.add(headers.authorization?.split(' ')[0])
      if (request.postData()?.includes('grant_type=refresh_token') !== true) return
      renewals.push({ proof: headers.dpop !== undefined, status: (await request.response())?.status() })
    })
    // The access token is in memory only, so each new page renews.
    for (const count of [1, 2]) {
      await page.reload()
      await page.getByRole('heading', { level: 1 }).waitFor()
      await until(async () => renewals.length >= count || undefined, 'a renewal')
    }
    await page.getByRole('link', { name: 'Agents', exact: true }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
    await page.getByText('No agents').first().waitFor()
    expect(new Set(renewals.map(({ status }) => status))).toEqual(new Set([200]))
    expect(renewals.every(({ proof }) => proof === (scheme === 'DPoP'))).toBe(true)
    expect([...schemes]).toEqual([scheme])

    await page.getByRole('button', { name: /Keycloak/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { level: 1, name: 'You are signed out' }).waitFor()
    // Keycloak’s session has ended, too: it asks for the password again.
    await page.goto(`${origin}/sign-in`)
    await page.getByRole('textbox', { name: 'Organisation' }).fill('northwind')
    await page.getByRole('button', { name: 'Continue' }).click()
    await enterPassword(page, 'tara')
    await page.waitForURL(`${origin}/t/northwind`)
    await context.close()
  }, 180_000)

  test('a role that is withdrawn at Keycloak is missing on the next page', async () => {
    const id = await realm.addPerson('rolf', ['viewer', 'operator'])
    const { page, context } = await signIn('rolf')
    expect(await rolesShown(page)).toBe('Viewer, Operator')
    await realm.setRoles('DELETE', id, ['operator'])
    expect(await rolesShown(page)).toBe('Viewer')
    await context.close()
  }, 180_000)

  // Last: the tenant keeps these settings.
  test('with roles from tokens, roles follow the groups at Keycloak while a person works', async () => {
    const { addGroup, addPerson, put, tokenFor } = realm
    const [admins, deciders, board] = [
      await addGroup('cs-admins'),
      await addGroup('cs-deciders'),
      await addGroup('board'),
    ]
    await put('PUT', await addPerson('ada', ['tenant_admin']), admins)
    await put('PUT', await addPerson('boris', ['approver']), deciders)
    const gerda = await addPerson('gerda', ['viewer'])
    const api = callsTo(origin, { tenants: [] })
    const [ada, boris] = [await tokenFor('ada'), await tokenFor('boris')]
    payload(await api.query(boris, 'session.me'))
    await operator('seat', 'northwind', '--group', 'change-approvers', '--person', addressOf('boris'))
    await letGroupsDecide(api, realmUrl, ada, boris)

    const { page, context } = await signIn('gerda')
    const becomes = (roles: string) =>
      // A token that was issued in the same second as the one before changes nothing.
      until(async () => (await rolesShown(page)) === roles || undefined, `the roles were “${roles}”`, 60_000)
    await put('PUT', gerda, deciders)
    await put('PUT', gerda, board)
    await becomes('Approver')
    await page.goto(`${origin}/t/northwind/approvals`)
    await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor()
    await put('DELETE', gerda, deciders)
    await put('DELETE', gerda, board)
    await becomes('')
    await context.close()
  }, 180_000)
})
