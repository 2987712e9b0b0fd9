import type { Page } from '@playwright/test'
import { home } from './cases.ts'

// What the tests of access and settings do on their pages.

export const at = (page: string) => `${home()}/access/${page}`
export const unique = (name: string) => `${name}-${Date.now().toString(36)}`
export const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name })
export const manage = async (page: Page, name: string) => {
  await page.getByRole('button', { name: `Manage ${name}` }).click()
  return dialog(page, name)
}
/** The unmasked value that a dialog shows. */
export const shownValue = async (page: Page) =>
  (await page.getByRole('dialog').locator('code.select-all').innerText()).trim()

/** Moves through the history as the back button does. Resolves after the browser has moved. */
export const traverse = (page: Page, steps: number) =>
  page.evaluate(
    (count) =>
      new Promise<void>((done) => {
        window.navigation.addEventListener('currententrychange', () => setTimeout(done), { once: true })
        history.go(count)
      }),
    steps,
  )

export const pendingWithKey = (origin: string, key: string) =>
  fetch(`${origin}/v1/approvals.getPending`, { headers: { 'x-svc-api-key': key } })
export const tokenFor = (origin: string, clientId: string, secret: string) =>
  fetch(`${origin}/realms/northwind/protocol/openid-connect/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${encodeURIComponent(secret)}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
