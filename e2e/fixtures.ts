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
type Troubles = { expect(pattern: RegExp): void }

/**
 * Playwright's `test`, which also fails on any console error, page error or report of the Content Security Policy that the
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
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(axeOptions)})`)
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`)).toEqual([])
}
