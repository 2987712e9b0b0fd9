import type { Page } from '@playwright/test'
import { LANGUAGE_COOKIE, type Language } from '../lib/languages.ts'
import { call, personToken } from './cases.ts'
import { demoTenant, demoUser, expect, expectAccessible, signIn, test } from './fixtures.ts'

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

const forget = async (origin: string, username: string) =>
  call(origin, await personToken(origin, username), 'mutation', 'session.chooseLanguage', { language: null })

test('a person chooses German in the menu, and reads it in every browser until they choose again', async ({
  page,
  origin,
}) => {
  try {
    await signIn(page, 'jonas')
    await page.getByRole('button', { name: 'Jonas Berg' }).click()
    await expect(page.getByRole('menuitemradio', { name: 'As this browser asks' })).toBeChecked()
    await expectAccessible(page)
    await page.getByRole('menuitemradio', { name: 'Deutsch' }).click()
    await expect(page.getByRole('heading', { name: 'Läuft gerade' })).toBeVisible()
    expect(await lang(page)).toBe('de')

    // As another browser, where they are signed in, too.
    await page.context().clearCookies({ name: LANGUAGE_COOKIE })
    await page.goto('/')
    await expect(page.getByRole('heading', { name: 'Läuft gerade' })).toBeVisible()
    expect(await lang(page)).toBe('de')

    await page.getByRole('button', { name: 'Jonas Berg' }).click()
    await page.getByRole('menuitemradio', { name: 'Wie dieser Browser es wünscht' }).click()
    await expect(page.getByRole('heading', { name: 'Running now' })).toBeVisible()
    expect(await lang(page)).toBe('en')
  } finally {
    await forget(origin, 'jonas')
  }
})

test('a choice that is not stored says so, and the page stays as it is', async ({ page, origin, troubles }) => {
  troubles.expect(/net::ERR_FAILED/)
  try {
    await signIn(page, 'jonas')
    await page.route('**/v1/session.chooseLanguage*', (route) => route.abort())
    await page.getByRole('button', { name: 'Jonas Berg' }).click()
    await page.getByRole('menuitemradio', { name: 'Deutsch' }).click()
    await expect(page.getByRole('menu')).toContainText('It is unknown whether the language was changed.')
    // The page behind the menu may still be loading, which is a status, too.
    await expect(
      page.getByRole('status').filter({ hasText: 'It is unknown whether the language was changed.' }),
    ).toBeAttached()
    await expectAccessible(page)
    expect(await lang(page)).toBe('en')
    await page.unroute('**/v1/session.chooseLanguage*')
    await page.getByRole('menuitemradio', { name: 'Deutsch' }).click()
    await expect(page.getByRole('heading', { name: 'Läuft gerade' })).toBeVisible()
  } finally {
    await forget(origin, 'jonas')
  }
})

test('an organisation’s language holds for everyone who did not choose one', async ({ signedIn, page }) => {
  const { externalId } = demoTenant('globex')
  const admin = await signedIn('tom', 'globex')
  const save = async (language: string, button: string, label: string, done: string) => {
    await admin.goto(`/t/${externalId}/settings/tenant`)
    await admin.getByLabel(label, { exact: true }).selectOption(language)
    await admin.getByRole('button', { name: button }).click()
    await expect(admin.getByRole('status').filter({ hasText: done })).toBeVisible()
  }
  await save('Deutsch', 'Save the branding', 'Language', 'The branding was saved.')
  try {
    // Their sign-in page follows within five minutes, as the rest of the branding.
    await signIn(page, 'tom', 'globex')
    await expect(page.getByRole('heading', { name: 'Läuft gerade' })).toBeVisible()
    expect(await lang(page)).toBe('de')
  } finally {
    await save(
      'Wie der Browser es wünscht, in Mails Englisch',
      'Erscheinungsbild speichern',
      'Sprache',
      'Das Erscheinungsbild wurde gespeichert.',
    )
    await admin.context().clearCookies({ name: LANGUAGE_COOKIE })
  }
})

test('the pages of an organisation’s sign-in are in the language of the page before them', async ({ page, origin }) => {
  await choose(page, 'de', origin)
  await page.goto('/sign-in')
  await page.getByRole('textbox', { name: 'E-Mail-Adresse oder Organisation' }).fill('northwind')
  await page.getByRole('button', { name: 'Weiter' }).click()
  await expect(page.getByRole('heading', { name: 'Bei Northwind Mutual anmelden' })).toBeVisible()
  expect(await lang(page)).toBe('de')
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Passwort ändern' }).click()
  await expect(page.getByRole('heading', { name: 'Passwort für Northwind Mutual ändern' })).toBeVisible()
  await expectAccessible(page)
  await page.goBack()
  const { username, password } = demoUser('jonas')
  await page.getByRole('textbox', { name: 'Benutzername' }).fill(username)
  await page.getByLabel('Passwort').fill('not this one')
  await page.getByRole('button', { name: 'Anmelden' }).click()
  await expect(page.getByRole('alert')).toContainText('Der Benutzername oder das Passwort ist falsch.')
  await expectAccessible(page)
  await page.getByLabel('Passwort').fill(password)
  await page.getByRole('button', { name: 'Anmelden' }).click()
  // It was chosen in this browser, and the person has not stored another.
  await expect(page.getByRole('heading', { name: 'Läuft gerade' })).toBeVisible()
  expect(await lang(page)).toBe('de')
  await page.getByRole('button', { name: 'Jonas Berg' }).click()
  await expect(page.getByRole('menuitemradio', { name: 'Deutsch' })).toBeChecked()
})
