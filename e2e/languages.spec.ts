import type { Page } from '@playwright/test'
import { LANGUAGE_COOKIE, type Language } from '../lib/languages.ts'
import { expect, expectAccessible, signIn, test } from './fixtures.ts'

// A hydration that finds other texts than the document's reports an error, which fails a test.

const choose = (page: Page, language: Language, origin: string) =>
  page.context().addCookies([{ name: LANGUAGE_COOKIE, value: language, url: origin }])

const lang = (page: Page) => page.evaluate(() => document.documentElement.lang)

test('sign-in is in the chosen language from its first byte', async ({ page, origin, troubles }) => {
  // The realm of an organisation that does not exist.
  troubles.expect(/404 \(Not Found\) \(.*no-such-organisation/)
  await choose(page, 'de', origin)
  const document = await page.request.get('/sign-in')
  const html = await document.text()
  expect(html).toContain('<html lang="de"')
  expect(html).toContain('<h1>Bei Countersign anmelden</h1>')
  expect(html).not.toContain('Sign in')
  expect(html).not.toContain('⟦')
  await page.goto('/sign-in')
  await expect(page).toHaveTitle('Anmelden · Countersign')
  await page.getByRole('button', { name: 'Weiter' }).click()
  await expect(page.getByText('Geben Sie Ihre E-Mail-Adresse oder den Kurznamen Ihrer Organisation ein.')).toBeVisible()
  await page.getByRole('textbox', { name: 'E-Mail-Adresse oder Organisation' }).fill('no-such-organisation')
  await page.getByRole('button', { name: 'Weiter' }).click()
  await expect(page.getByText('Die Organisation „no-such-organisation“ wurde nicht gefunden.')).toBeVisible()
  await expectAccessible(page)
})

test('a page of another language than the tab’s is loaded whole, so that no page mixes languages', async ({
  page,
  origin,
}) => {
  await signIn(page, 'jonas')
  await expect(page.getByRole('heading', { name: 'Running now' })).toBeVisible()
  expect(await lang(page)).toBe('en')
  await choose(page, 'de', origin)
  await page.getByRole('link', { name: 'Agents', exact: true }).click()
  await expect(page.getByRole('link', { name: 'Richtlinien' })).toBeVisible()
  expect(await lang(page)).toBe('de')
  await page.getByRole('link', { name: 'Start', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Läuft gerade' })).toBeVisible()
  await expect(page).toHaveTitle(/Start · Countersign$/)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Suchen oder Befehl ausführen' }).fill('richt')
  await expect(page.getByRole('option', { name: 'Zu den Richtlinien' })).toBeVisible()
})

test('every text of the converted pages is in a catalog, and longer ones fit a narrow screen', async ({
  page,
  origin,
}) => {
  await signIn(page, 'jonas')
  await choose(page, 'en-XA', origin)
  await page.setViewportSize({ width: 390, height: 844 })
  for (const path of ['/sign-in', '/signed-out']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1, name: /^\[.+~+\]$/ })).toBeVisible()
    expect(await page.getByRole('main').innerText()).not.toMatch(/[A-Za-z]{3}/)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/')
  await expect(page.getByRole('heading', { name: /^\[Ŕûññîñĝ ñöŵ~+\]$/ })).toBeVisible()
  expect(await page.getByRole('navigation', { name: /^\[Ṁàîñ~+\]$/ }).innerText()).not.toMatch(/[a-z]{3}/)
})
