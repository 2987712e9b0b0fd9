import { externalId } from './cases.ts'
import { demoTenant, enterPassword, expect, expectAccessible, signIn, test } from './fixtures.ts'

test('the organisation’s sign-in page leads to its branded home page, and the next sign-in remembers the organisation', async ({
  page,
}) => {
  await page.goto('/')
  await expect(page).toHaveURL('/sign-in')
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in to Countersign' })).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Organisation' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('textbox', { name: 'Organisation' }).fill('northwind')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in to Northwind Mutual' })).toBeVisible()
  // The provider's page has loaded the console's typeface.
  await expect
    .poll(() => page.evaluate(() => [...document.fonts].map(({ family, status }) => `${family} ${status}`)))
    .toEqual([expect.stringMatching(/^"?Atkinson Hyperlegible Next"? loaded$/)])
  await expectAccessible(page)
  await enterPassword(page, 'jonas')
  await expect(page.getByRole('heading', { level: 1, name: 'Northwind Mutual' })).toBeVisible()
  const accent = () => document.documentElement.style.getPropertyValue('--tenant-mark-light')
  await expect.poll(() => page.evaluate(accent)).not.toBe('')
  await expectAccessible(page)
  await page.goto('/sign-in')
  await expect(page.getByRole('textbox', { name: 'Organisation' })).toHaveValue('northwind')
})

test('a link of a mail leads a stranger’s browser through its organisation’s sign-in to its page', async ({ page }) => {
  await page.goto(`/t/${externalId()}/approvals?organisation=northwind`)
  await expect(page).toHaveURL('/sign-in?organisation=northwind')
  await expect(page.getByRole('textbox', { name: 'Organisation' })).toHaveValue('northwind')
  await page.getByRole('button', { name: 'Continue' }).click()
  await enterPassword(page, 'jonas')
  await expect(page.getByRole('heading', { level: 1, name: 'Approvals' })).toBeVisible()
  // The organisation was for the sign-in, and the rest of the address stays.
  await expect.poll(() => new URL(page.url()).search).toBe('')
  await page.goto(`/t/${externalId()}/approvals?status=approved&organisation=northwind`)
  await expect.poll(() => new URL(page.url()).search).toBe('?status=approved')
})

test('an unknown organisation, an invalid short name and an empty field are reported at the field', async ({
  page,
  troubles,
}) => {
  troubles.expect(/404/)
  await page.goto('/sign-in')
  const field = page.getByRole('textbox', { name: 'Organisation' })
  const go = page.getByRole('button', { name: 'Continue' })
  await go.click()
  await expect(field).toHaveAccessibleDescription(/Enter your mail address or your organisation’s short name/)
  await field.fill('initech')
  await go.click()
  await expect(field).toHaveAccessibleDescription(/The organisation “initech” was not found/)
  await expect(field).toBeFocused()
  await expectAccessible(page)
  await field.fill('../realms/x')
  await go.click()
  await expect(field).toHaveAccessibleDescription(/lower-case letters, digits and hyphens/)
  await field.fill('maria@initech.example')
  await go.click()
  await expect(field).toHaveAccessibleDescription(/could not be found by this address/)
})

test('a mail address leads to the organisation that its domain names', async ({ page }) => {
  await page.goto('/sign-in')
  const field = page.getByRole('textbox', { name: 'Mail address' })
  await expect(field).toBeFocused()
  await field.fill('Maria@northwind.example')
  await field.press('Enter')
  await expect(page).toHaveURL(/\/realms\/northwind\//)
  await expect(page.getByRole('textbox', { name: 'User name' })).toBeVisible()
})

test('the Back button leads from the provider’s page to a form that works', async ({ page }) => {
  await page.goto('/sign-in')
  await page.getByRole('textbox', { name: 'Organisation' }).fill('globex')
  // The browser stays on this page, as if it showed it again.
  await page.route('**/realms/globex/protocol/**', (route) => route.abort('aborted'))
  const left = page.waitForRequest('**/realms/globex/protocol/**')
  await page.getByRole('button', { name: 'Continue' }).click()
  await left
  await expect(page.getByRole('button', { name: 'Opening' })).toBeVisible()
  await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await page.getByRole('textbox', { name: 'Organisation' }).fill('northwind')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in to Northwind Mutual' })).toBeVisible()
})

test('a provider that describes itself under another address gets no code', async ({ page }) => {
  await page.route('**/realms/northwind/.well-known/openid-configuration', async (route) => {
    const response = await route.fetch()
    const metadata = await response.json()
    await route.fulfill({ response, json: { ...metadata, issuer: `${metadata.issuer}/x` } })
  })
  await page.goto('/sign-in')
  const field = page.getByRole('textbox', { name: 'Organisation' })
  await field.fill('northwind')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(field).toHaveAccessibleDescription(/describes itself under another address/)
  await expect(page).toHaveURL('/sign-in')
})

test('the sign-in returns to a deep link, without an additional entry in the history', async ({ page }) => {
  const wanted = `/t/${externalId()}/approvals?view=decided`
  await page.goto(wanted)
  await expect(page).toHaveURL('/sign-in')
  await page.getByRole('textbox', { name: 'Organisation' }).fill('northwind')
  await page.getByRole('button', { name: 'Continue' }).click()
  await enterPassword(page, 'jonas')
  await expect(page).toHaveURL(wanted)
  await expect(page.getByRole('link', { name: 'Decided', exact: true })).toHaveAttribute('aria-current', 'page')
})

test('the access token is never stored, and the refresh token only encrypted', async ({ page, context }) => {
  const answers: { access_token: string; refresh_token: string }[] = []
  page.on('response', async (response) => {
    if (response.request().method() === 'POST' && response.url().endsWith('/protocol/openid-connect/token'))
      answers.push(await response.json())
  })
  await signIn(page, 'jonas')
  // The test reads the response in parallel to the page.
  await expect.poll(() => answers.length).toBe(1)
  const { origins } = await context.storageState({ indexedDB: true })
  const stored = JSON.stringify(origins)
  expect(stored).toContain('countersign')
  for (const { access_token, refresh_token } of answers) {
    expect(stored).not.toContain(access_token)
    expect(stored).not.toContain(refresh_token)
    expect(stored).not.toContain(access_token.split('.')[1])
  }
  const extractable = await page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open('countersign')
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
    return await new Promise<boolean>((resolve, reject) => {
      const request = database.transaction('keys').objectStore('keys').get('key')
      request.onsuccess = () => resolve((request.result as CryptoKey).extractable)
      request.onerror = () => reject(request.error)
    })
  })
  expect(extractable).toBe(false)
})

test('a reload and a second tab continue the session; two tabs never renew concurrently', async ({ page, context }) => {
  await signIn(page, 'jonas')
  await page.reload()
  await expect(page.getByRole('heading', { level: 1, name: 'Northwind Mutual' })).toBeVisible()
  const tabs = await Promise.all([context.newPage(), context.newPage(), context.newPage()])
  // Using a refresh token twice would end the session of all tabs.
  await Promise.all([page.reload(), ...tabs.map((tab) => tab.goto(`/t/${externalId()}`))])
  for (const tab of [page, ...tabs])
    await expect(tab.getByRole('heading', { level: 1, name: 'Northwind Mutual' })).toBeVisible()
})

test('a refused token is renewed once, without the person noticing', async ({ page, troubles }) => {
  troubles.expect(/401/)
  await signIn(page, 'jonas')
  let refused = 0
  await page.route(/\/v1\/[^?]*approvals\.getPending/, async (route) => {
    if (refused > 0) return await route.continue()
    refused += 1
    await route.fulfill({
      status: 401,
      json: {
        error: {
          json: {
            message: 'Expired.',
            code: -32001,
            data: { code: 'UNAUTHORIZED', httpStatus: 401, reason: 'unauthorized' },
          },
        },
      },
    })
  })
  await page.getByRole('link', { name: 'All approvals' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Approvals' })).toBeVisible()
  await expect.poll(() => refused).toBe(1)
  await expect(page.getByText('Your session has ended.')).toHaveCount(0)
})

test('the page stays when the session ends, and continues after signing in again in another window', async ({
  page,
  context,
  troubles,
}) => {
  troubles.expect(/40[01]/)
  await signIn(page, 'jonas')
  const approvals = page.getByRole('link', { name: 'All approvals' })
  // The link is part of what the server answers.
  await expect(approvals).toBeVisible()
  await page.route('**/v1/**', (route) =>
    route.fulfill({
      status: 401,
      json: {
        error: {
          json: {
            message: 'Expired.',
            code: -32001,
            data: { code: 'UNAUTHORIZED', httpStatus: 401, reason: 'unauthorized' },
          },
        },
      },
    }),
  )
  await approvals.click()
  const banner = page.getByRole('alert').filter({ hasText: 'Your session has ended. The page may be out of date' })
  await expect(banner).toBeVisible()
  // The page before says the same of its own list.
  await expect(page.getByRole('heading', { level: 1, name: 'Approvals' })).toBeVisible()
  await expect(page.getByText('The approvals could not be loaded.')).toBeVisible()
  await expectAccessible(page)
  await page.unroute('**/v1/**')
  // The person still has a session at the provider, so the window signs in by itself.
  const opened = context.waitForEvent('page')
  await banner.getByRole('button', { name: 'Sign in again' }).click()
  await opened
  await expect(banner).toHaveCount(0)
  await expect(
    page.getByRole('table', { name: 'Approvals' }).or(page.getByText('No approvals need you.')),
  ).toBeVisible()
})

test('an address with the short name of the organisation leads to the same page with its id', async ({
  page,
  troubles,
}) => {
  troubles.expect(/403/)
  await signIn(page, 'jonas')
  await page.goto('/t/northwind/approvals?sort=oldest')
  await expect(page).toHaveURL(`/t/${externalId()}/approvals?sort=oldest`)
  await expect(page.getByRole('heading', { level: 1, name: 'Approvals' })).toBeVisible()
})

test('an address of another tenant stays in the address bar and is explained', async ({ page, troubles }) => {
  troubles.expect(/403/)
  await signIn(page, 'jonas')
  const foreign = `/t/${demoTenant('globex').externalId}/approvals`
  await page.goto(foreign)
  await expect(page.getByRole('heading', { level: 1, name: 'Tenant access denied' })).toBeVisible()
  await expect(page).toHaveURL(foreign)
  await expectAccessible(page)
  await page.goto('/t/there-is-none')
  await expect(page.getByRole('heading', { level: 1, name: 'Tenant access denied' })).toBeVisible()
  await page.getByRole('link', { name: 'Go to your own organisation' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Northwind Mutual' })).toBeVisible()
})

test('signing out ends the session at the provider and in the other tabs, and deletes all stored data', async ({
  page,
  context,
}) => {
  await signIn(page, 'jonas')
  const other = await context.newPage()
  await other.goto(`/t/${externalId()}`)
  await expect(other.getByRole('heading', { level: 1, name: 'Northwind Mutual' })).toBeVisible()
  await page.getByRole('button', { name: /Jonas Berg/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page).toHaveURL(/\/signed-out/)
  await expect(page.getByRole('heading', { level: 1, name: 'You are signed out' })).toBeVisible()
  await expectAccessible(page)
  await expect(other).toHaveURL(/\/signed-out/)
  const left = async () => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open('countersign')
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
    const count = (store: string) =>
      new Promise<number>((resolve, reject) => {
        const request = database.transaction(store).objectStore(store).count()
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    return { texts: await count('texts'), keys: await count('keys') }
  }
  await expect.poll(() => page.evaluate(left)).toEqual({ texts: 0, keys: 0 })
  // The provider asks for the password again.
  await page.goto(`/t/${externalId()}`)
  await expect(page.getByLabel('Password')).toBeVisible()
})

test('an account that is not a member can be left: signing in again would use it again', async ({ page, troubles }) => {
  troubles.expect(/403/)
  await page.route(/\/v1\/session\.me\b/, (route) =>
    route.fulfill({ status: 403, json: { error: 'Tenant access denied' } }),
  )
  await page.goto('/sign-in?organisation=northwind')
  await page.getByRole('button', { name: 'Continue' }).click()
  await enterPassword(page, 'vera')
  await expect(page.getByRole('heading', { level: 1, name: 'Access denied' })).toBeVisible()
  await expect(page.getByRole('main').getByRole('alert')).toContainText(
    '(vera), but this account is not an active member of northwind.',
  )
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page).toHaveURL(/signed-out/)
  await page.goto('/sign-in?organisation=northwind')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByLabel('Password')).toBeVisible()
})

test('a stale callback is reported as a sign-in that can’t be completed', async ({ page }) => {
  await page.goto('/auth/callback?code=x&state=y')
  await expect(page.getByRole('heading', { level: 1, name: 'The sign-in was not completed' })).toBeVisible()
  await expectAccessible(page)
})
