import { setTimeout as delay } from 'node:timers/promises'
import { type Browser, chromium, type Page } from '@playwright/test'
import type { TestApi } from '#server/testing/api.ts'
import { installedBrowser } from '../cli/browser.mjs'

/** The browser of the tests, headless and with software rendering. */
export const openChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: installedBrowser(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  })

/** Signs in a person of the first demo tenant through the console at `address`. */
export async function signInAt(page: Page, address: string, api: TestApi, username: string): Promise<void> {
  const [tenant] = api.credentials.tenants
  const user = tenant?.users.find((one) => one.username === username)
  if (tenant === undefined || user === undefined) throw new Error(`The demo user ${username} was not found.`)
  await page.goto(`${address}/sign-in`)
  await page.getByRole('textbox', { name: 'Organisation' }).fill(tenant.slug)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('textbox', { name: 'User name' }).fill(username)
  await page.getByLabel('Password').fill(user.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${address}/t/${tenant.externalId}`)
}

const patienceMs = 60_000

/** Limits the wait, which would never end for a page that draws no frame. */
export const within = <T>(complaint: string, work: Promise<T>): Promise<T> =>
  Promise.race([
    work,
    delay(patienceMs, undefined, { ref: false }).then(() => {
      throw new Error(`${complaint} within ${patienceMs / 1000} seconds.`)
    }),
  ])
