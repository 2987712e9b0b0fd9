import { readFileSync } from 'node:fs'
import {
  type Browser,
  type BrowserContext,
  test as base,
  type ConsoleMessage,
  expect,
  type Locator,
  type Page,
  type Request,
  type Response,
  type TestInfo,
  type WebError,
} from '@playwright/test'
import axe, { type AxeResults, type RunOptions } from 'axe-core'

export { expect }

export type Tenant = {
  slug: string
  externalId: string
  id: string
  users: { username: string; displayName: string; password: string; roles: string[] }[]
  clients: { clientId: string; clientSecret: string; roles: string[] }[]
}

/** Returns a demo tenant with its credentials, from the file that the server wrote (`DEMO_CREDENTIALS`). */
export function demoTenant(slug = 'northwind'): Tenant {
  const path = process.env.DEMO_CREDENTIALS
  if (path === undefined) throw new Error('DEMO_CREDENTIALS must name the demo credentials file.')
  const { tenants }: { tenants: Tenant[] } = JSON.parse(readFileSync(path, 'utf8'))
  const tenant = tenants.find((candidate) => candidate.slug === slug)
  if (tenant === undefined) throw new Error(`Unknown demo tenant: ${slug}.`)
  return tenant
}

export function demoUser(username: string, slug = 'northwind') {
  const user = demoTenant(slug).users.find((candidate) => candidate.username === username)
  if (user === undefined) throw new Error(`Unknown demo user: ${username}.`)
  return user
}

/** Errors of the browser that the test expects, for example after it has cut the network. */
type Troubles = { expect(pattern: RegExp): void; watch(context: BrowserContext): void }

/** A person's browser profile: signed in once, by the form, and kept for the tests of this process. */
type Profile = { context: BrowserContext; lock: Page }

type Fixtures = {
  /** The server's address, for calls outside the browser. */
  origin: string
  troubles: Troubles
  /**
   * Opens an empty tab in the profile of a person who is signed in. A new profile and the form (`signIn`) cost more than most tests
   * do after them, so they are for tests of the session, and for tests that end it.
   */
  signedIn: (username: string, slug?: string) => Promise<Page>
}

/**
 * Playwright's `test`, which also fails on any console error, page error or report of the Content Security Policy that the
 * test did not expect.
 */
export const test = base.extend<Fixtures, { profileOf: (username: string, slug: string) => Promise<Profile> }>({
  origin: async ({ baseURL }, use) => {
    if (baseURL === undefined) throw new Error('The configuration names no baseURL.')
    await use(baseURL)
  },
  profileOf: [
    async ({ browser }, use) => {
      const opened = new Map<string, Promise<Profile>>()
      await use((username, slug) => {
        const key = `${slug}/${username}`
        const profile = opened.get(key) ?? openProfile(browser, username, slug)
        opened.set(key, profile)
        return profile
      })
    },
    { scope: 'worker' },
  ],
  troubles: [
    async ({ origin }, use) => {
      const found: Trouble[] = []
      const expected: RegExp[] = []
      const ends: (() => void)[] = []
      await use({
        expect: (pattern) => expected.push(pattern),
        watch: (context) => ends.push(reportTroubles(context, origin, (trouble) => found.push(trouble))),
      })
      for (const end of ends) end()
      const unexpected = found.filter(({ text }) => !expected.some((pattern) => pattern.test(text)))
      // What the server said tells why.
      expect(await Promise.all(unexpected.map(async ({ text, answer }) => `${text} ${await answer?.()}`))).toEqual([])
    },
    { auto: true },
  ],
  context: async ({ context, troubles }, use, test) => {
    troubles.watch(context)
    const attach = recordRequests(context)
    await use(context)
    await attach(test)
  },
  signedIn: async ({ profileOf, troubles }, use, test) => {
    const used = new Map<Profile, ReturnType<typeof recordRequests>>()
    await use(async (username, slug = 'northwind') => {
      const profile = await profileOf(username, slug)
      if (!used.has(profile)) {
        troubles.watch(profile.context)
        used.set(profile, recordRequests(profile.context))
      }
      return await profile.context.newPage()
    })
    for (const [profile, attach] of used) {
      await attach(test)
      await closeTabs(profile)
    }
  },
})

type Trouble = { text: string; answer?: () => Promise<string> | undefined }

/** Calls `report` for each trouble on the pages of a profile. Returns what ends this. */
function reportTroubles(context: BrowserContext, origin: string, report: (trouble: Trouble) => void): () => void {
  const refusals = new Map<string, Promise<string>>()
  const onConsole = (message: ConsoleMessage) => {
    const { url } = message.location()
    const answer = () => refusals.get(url)
    if (message.type() === 'error') report({ text: `console: ${message.text()} (${url})`, answer })
  }
  const onError = (error: WebError) => report({ text: `page error: ${error.error().stack ?? error.error().message}` })
  const onRequest = (request: Request) => {
    if (request.url() === `${origin}/csp-report`) report({ text: `policy: ${request.postData() ?? ''}` })
  }
  const onResponse = (response: Response) => {
    // The text of an answer is lost when the page is left.
    if (response.status() >= 400) refusals.set(response.url(), response.text().catch(String))
  }
  context.on('console', onConsole).on('weberror', onError).on('request', onRequest).on('response', onResponse)
  return () =>
    void context
      .off('console', onConsole)
      .off('weberror', onError)
      .off('request', onRequest)
      .off('response', onResponse)
}

/**
 * Records which requests of a profile have not ended. Returns what attaches them to a test that failed, with the open pages: it tells
 * a click that nothing received from a page that waits for its answer.
 */
function recordRequests(context: BrowserContext): (test: TestInfo) => Promise<void> {
  const sent = new Map<Request, number>()
  const onRequest = (request: Request) => void sent.set(request, Date.now())
  const onEnd = (request: Request) => void sent.delete(request)
  context.on('request', onRequest).on('requestfinished', onEnd).on('requestfailed', onEnd)
  return async (test) => {
    context.off('request', onRequest).off('requestfinished', onEnd).off('requestfailed', onEnd)
    if (test.status === test.expectedStatus) return
    const now = Date.now()
    const lines = [
      ...context.pages().map((page) => `open: ${page.url()}`),
      ...[...sent].map(([request, at]) => `no answer in ${now - at} ms: ${request.method()} ${request.url()}`),
    ]
    await test.attach('pages and requests', { body: lines.join('\n'), contentType: 'text/plain' })
  }
}

async function openProfile(browser: Browser, username: string, slug: string): Promise<Profile> {
  const context = await browser.newContext()
  const lock = await context.newPage()
  await signIn(lock, username, slug)
  // A document of the console's origin without its script.
  await lock.goto('/v1/health/ready')
  return { context, lock }
}

/** Closes what a test opened, but never while a tab renews the session: the next one would lack the new refresh token. */
async function closeTabs({ context, lock }: Profile): Promise<void> {
  const release = await lock.evaluateHandle(
    () =>
      new Promise<() => void>((locked) => {
        void navigator.locks.request('countersign-session', () => new Promise<void>((done) => locked(() => done())))
      }),
  )
  for (const page of context.pages()) if (page !== lock) await page.close()
  await release.evaluate((end) => end())
  await release.dispose()
  await context.setOffline(false)
  await context.unrouteAll({ behavior: 'ignoreErrors' })
}

/** Fills in the organisation's sign-in page, which must be open. */
export async function enterPassword(page: Page, username: string, slug = 'northwind'): Promise<void> {
  const { password } = demoUser(username, slug)
  await page.getByRole('textbox', { name: 'User name' }).fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Signs in through the console, and returns when the tenant's home page is shown. */
export async function signIn(page: Page, username: string, slug = 'northwind'): Promise<Tenant> {
  const tenant = demoTenant(slug)
  await page.goto('/sign-in')
  await page.getByRole('textbox', { name: 'Organisation' }).fill(slug)
  await page.getByRole('button', { name: 'Continue' }).click()
  await enterPassword(page, username, slug)
  await expect(page).toHaveURL(`/t/${tenant.externalId}`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  return tenant
}

/** Waits until React has attached its listeners to an element that was rendered on the server. */
export const hydrated = (element: Locator): Promise<void> =>
  expect
    .poll(() => element.evaluate((node) => Object.keys(node).some((key) => key.startsWith('__reactProps'))))
    .toBe(true)

/** The pages don't contain frames, so the engine runs in the page itself. */
const axeOptions: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
}

/** Waits until all animations have ended, and expects no violations of WCAG 2.2 AA or the engine's best practices. */
export async function expectAccessible(page: Page): Promise<void> {
  // The document lacks a heading while the next page loads.
  await expect(page.locator('h1').first()).toBeAttached()
  await page.evaluate(async () => {
    const fading = document.getAnimations().filter((one) => one.effect?.getComputedTiming().endTime !== Infinity)
    await Promise.allSettled(fading.map((one) => one.finished))
  })
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  // Elsewhere, the bar at the top covers a part of some control, which then counts as too small.
  const scrolled = await page.evaluate(() => {
    const at = scrollY
    scrollTo(0, 0)
    return at
  })
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(axeOptions)})`)
  await page.evaluate((at) => scrollTo(0, at), scrolled)
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`)).toEqual([])
}
