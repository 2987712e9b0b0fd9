import type { Page } from '@playwright/test'
import { home } from './cases.ts'
import { expect, signIn, test } from './fixtures.ts'
import { codeIsLost, loseCode } from './lost-code.ts'

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
/** A link of the rail. The link to the approvals also states how many are waiting. */
const main = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name: new RegExp(`^${name}\\b`) })

/** Records the addresses of the documents that the page loads from now on. */
function documentsOf(page: Page): string[] {
  const documents: string[] = []
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) documents.push(request.url())
  })
  return documents
}

test('links lead to pages without loading a document', async ({ signedIn }) => {
  const page = await signedIn('maria')
  await page.goto(home())
  const documents = documentsOf(page)
  for (const name of ['Executions', 'Agents', 'Policies', 'Approvals']) {
    await main(page, name).click()
    await expect(heading(page, name)).toBeVisible()
  }
  await page.goBack()
  await expect(heading(page, 'Policies')).toBeVisible()
  expect(documents).toEqual([])
})

test('one press opens a menu whose code was not yet loaded', async ({ signedIn }) => {
  const page = await signedIn('maria')
  await page.goto(home())
  const person = page.getByRole('button', { name: /theme and sign out$/ })
  // The session is ready, and with it the page.
  await expect(person).toBeVisible()
  const scripts: string[] = []
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(request.url())
  })
  const zone = page.getByRole('button', { name: /^Time zone/ })
  const items = page.getByRole('menuitemradio')
  await expect(zone).toHaveAttribute('aria-haspopup', 'menu')
  await zone.press('Enter')
  await expect(items.first()).toBeFocused()
  expect(scripts).not.toEqual([])
  await page.keyboard.press('Escape')
  await expect(items).toHaveCount(0)
  await expect(zone).toBeFocused()
  await person.click()
  await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(person).toBeFocused()
})

test('a menu that could not be loaded opens with a later press', async ({ signedIn, troubles }) => {
  troubles.expect(codeIsLost)
  const page = await signedIn('maria')
  await page.goto(home())
  await expect(page.getByRole('button', { name: /theme and sign out$/ })).toBeVisible()
  const zone = page.getByRole('button', { name: /^Time zone/ })
  const code = await loseCode(page)
  // The bundler's loader tries a file twice.
  const failures: string[] = []
  page.on('requestfailed', (request) => failures.push(request.url()))
  await zone.press('Enter')
  await expect.poll(() => failures.length - new Set(failures).size).toBeGreaterThan(0)
  await code.reach()
  await zone.press('Enter')
  await expect(page.getByRole('menuitemradio').first()).toBeFocused()
})

test('a page from an older build loads the document of the next page', async ({ signedIn }) => {
  const page = await signedIn('maria')
  // As from a rebuilt server: its data for the router names another build than the page's document.
  await page.route(
    (url) => url.pathname.startsWith(home()),
    async (route) => {
      if (route.request().isNavigationRequest()) return await route.fallback()
      const response = await route.fetch()
      const body = (await response.text()).replaceAll(/"(b|buildId)":"[\w-]+"/g, '"$1":"newer-build"')
      await route.fulfill({ response, body })
    },
  )
  await page.goto(home())
  await expect(main(page, 'Agents')).toBeVisible()
  const documents = documentsOf(page)
  await main(page, 'Agents').click()
  await expect(heading(page, 'Agents')).toBeVisible()
  expect(new URL(documents[0] ?? '').pathname).toBe(`${home()}/agents`)
  // The page may still prefetch.
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('a page whose scripts no longer exist is loaded again, and works', async ({ signedIn, troubles }) => {
  troubles.expect(/status of 404|ChunkLoadError|Failed to load chunk/)
  const page = await signedIn('maria')
  await page.goto(home())
  let gone = true
  // As from a rebuilt server: scripts of the open page no longer exist until the page is reloaded.
  await page.route('**/*', async (route) => {
    const request = route.request()
    if (request.isNavigationRequest()) gone = false
    if (gone && new URL(request.url()).pathname.startsWith('/_next/static/')) await route.fulfill({ status: 404 })
    else await route.fallback()
  })
  const documents = documentsOf(page)
  await main(page, 'Agents').click()
  await expect.poll(() => documents.length).toBeGreaterThan(0)
  await main(page, 'Agents').click()
  await expect(heading(page, 'Agents')).toBeVisible()
  // The router may load the document by itself before the page reloads; neither happens again.
  expect(documents.length).toBeLessThanOrEqual(2)
})

test('a page that is reloaded while it renews the session stays signed in', async ({ page }) => {
  const { externalId } = await signIn(page, 'maria')
  const renewals: number[] = []
  // The provider renews the session, but the page is reloaded before the response arrives.
  await page.route('**/protocol/openid-connect/token', async (route) => {
    if (renewals.length > 0) return await route.fallback()
    renewals.push((await route.fetch()).status())
    await page.evaluate(() => window.location.reload())
  })
  const renewed = page.waitForResponse(/openid-connect\/token$/)
  await page.reload()
  expect((await renewed).status()).toBe(200)
  expect(renewals).toEqual([200])
  await expect(main(page, 'Agents')).toBeVisible()
  await expect(page).toHaveURL(`/t/${externalId}`)
})
