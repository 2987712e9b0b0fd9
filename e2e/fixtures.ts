import { readFileSync } from 'node:fs'
import { test as base, expect, type Locator, type Page } from '@playwright/test'
import axe, { type AxeResults, type RunOptions } from 'axe-core'

export { expect }

export type Tenant = {
  slug: string
  externalId: string
  id: string
  users: { username: string; displayName: string; password: string; roles: string[] }[]
  clients: { clientId: string; clientSecret: string; roles: string[] }[]
}

/** A demo tenant with its credentials, as the server wrote them (`DEMO_CREDENTIALS`). */
export function demoTenant(slug = 'northwind'): Tenant {
  const path = process.env.DEMO_CREDENTIALS
  if (path === undefined) throw new Error('DEMO_CREDENTIALS must name the demo credentials file.')
  const { tenants }: { tenants: Tenant[] } = JSON.parse(readFileSync(path, 'utf8'))
  const tenant = tenants.find((candidate) => candidate.slug === slug)
  if (tenant === undefined) throw new Error(`There is no demo tenant ${slug}.`)
  return tenant
}

export function demoUser(username: string, slug = 'northwind') {
  const user = demoTenant(slug).users.find((candidate) => candidate.username === username)
  if (user === undefined) throw new Error(`There is no demo user ${username}.`)
  return user
}

/** Errors of the browser that the test expects, such as those of a network that it cut. */
type Troubles = { expect(pattern: RegExp): void }

/**
 * Playwright's `test`, with pages that fail it: any console error, page error or report of the page's policy that the
 * test did not expect.
 */
export const test = base.extend<{ troubles: Troubles; origin: string }>({
  /** The server's address, for calls outside the browser. */
  origin: async ({ baseURL }, use) => {
    if (baseURL === undefined) throw new Error('The configuration names no baseURL.')
    await use(baseURL)
  },
  troubles: [
    async ({ context }, use) => {
      const found: string[] = []
      const expected: RegExp[] = []
      context.on('console', (message) => {
        if (message.type() === 'error') found.push(`console: ${message.text()} (${message.location().url})`)
      })
      context.on('weberror', (error) => found.push(`page error: ${error.error().stack ?? error.error().message}`))
      context.on('request', (request) => {
        if (new URL(request.url()).pathname === '/csp-report') found.push(`policy: ${request.postData() ?? ''}`)
      })
      await use({ expect: (pattern) => expected.push(pattern) })
      expect(found.filter((text) => !expected.some((pattern) => pattern.test(text)))).toEqual([])
    },
    { auto: true },
  ],
})

/** Fills in the organisation's own sign-in page, which must be open. */
export async function enterPassword(page: Page, username: string, slug = 'northwind'): Promise<void> {
  const { password } = demoUser(username, slug)
  await page.getByRole('textbox', { name: 'User name' }).fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Signs in through the console until the home page of the tenant is there. */
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

/** Waits until a page that is there before its script has this element's listeners. */
export const hydrated = (element: Locator): Promise<void> =>
  expect
    .poll(() => element.evaluate((node) => Object.keys(node).some((key) => key.startsWith('__reactProps'))))
    .toBe(true)

/** The pages have no frames, so the engine runs in the page itself. */
const axeOptions: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
}

/** No violation of WCAG 2.2 AA or the engine's best practices on the page as it is now, once nothing fades in any more. */
export async function expectAccessible(page: Page): Promise<void> {
  // Between two pages there is none.
  await expect(page.locator('h1').first()).toBeAttached()
  await page.evaluate(async () => {
    const fading = document.getAnimations().filter((one) => one.effect?.getComputedTiming().endTime !== Infinity)
    await Promise.allSettled(fading.map((one) => one.finished))
  })
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(axeOptions)})`)
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`)).toEqual([])
}
