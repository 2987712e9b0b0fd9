import type { BrowserContext, Page, Request } from '@playwright/test'
import { call, externalId, home, personToken, waitingRefund } from './cases.ts'
import { expect, expectAccessible, signIn, test } from './fixtures.ts'

const northwind = externalId()
const globex = externalId('globex')

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

async function switchTo(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Switch organisation' }).click()
  await page.getByRole('menuitem', { name }).click()
  await expect(heading(page, name)).toBeVisible()
}

const isApi = (request: Request) => new URL(request.url()).pathname.startsWith('/v1/')

/** Records the tenants that a page names in its calls of the API. */
function tenantsCalled(page: Page): Set<string | undefined> {
  const seen = new Set<string | undefined>()
  page.on('request', (request) => {
    if (isApi(request)) seen.add(request.headers()['x-svc-tenant-external-id'])
  })
  return seen
}

const accent = (page: Page) =>
  page.evaluate(() => document.documentElement.style.getPropertyValue('--tenant-mark-light'))

test('anna switches to her other organisation and back: branding, roles and requests are those of the address', async ({
  signedIn,
}) => {
  const page = await signedIn('anna')
  await page.goto(home())
  // The branding arrives with the session's response, after the page.
  await expect.poll(() => accent(page)).not.toBe('')
  const own = await accent(page)
  const called = tenantsCalled(page)
  await switchTo(page, 'Globex')
  await expect(page).toHaveURL(`/t/${globex}`)
  await expect.poll(() => [...called]).toContain(globex)
  await expect.poll(async () => ['', own].includes(await accent(page))).toBe(false)
  await expectAccessible(page)
  called.clear()
  await page.getByRole('link', { name: /^Approvals/ }).click()
  await expect(heading(page, 'Approvals')).toBeVisible()
  await page.getByRole('button', { name: 'Switch organisation' }).click()
  await expect(page.getByRole('menuitem', { name: 'Globex' })).toHaveAttribute('aria-current', 'true')
  await expect(page.getByRole('menuitem', { name: 'Globex' })).toContainText('Viewer, Approver')
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect.poll(() => [...called]).toEqual([globex])
  await switchTo(page, 'Northwind Mutual')
  await expect(page).toHaveURL(`/t/${northwind}`)
  await expect.poll(() => accent(page)).toBe(own)
})

test('two tabs with two organisations never mix requests, caches or drafts', async ({ signedIn, origin, troubles }) => {
  // An approval of one organisation is not found in the other.
  troubles.expect(/404/)
  const refund = await waitingRefund(origin)
  const [page, other] = [await signedIn('anna'), await signedIn('anna')]
  const [inNorthwind, inGlobex] = [tenantsCalled(page), tenantsCalled(other)]
  await other.goto(`/t/${globex}`)
  await expect(heading(other, 'Globex')).toBeVisible()
  await page.goto(`/t/${northwind}/approvals/${refund.approvalId}`)
  const reason = page.getByRole('textbox', { name: /Reason/ })
  await reason.fill('Typed in Northwind only.')
  await other.goto(`/t/${globex}/approvals/${refund.approvalId}`)
  await expect(other.getByText(/can’t be found/)).toBeVisible()
  await expect(other.getByText('Typed in Northwind only.')).toHaveCount(0)
  await other.goto(`/t/${globex}/approvals`)
  await expect(heading(other, 'Approvals')).toBeVisible()
  await expect(other.locator(`a[href*="${refund.approvalId}"]`)).toHaveCount(0)
  // After a switch in the same tab, cached data of the first organisation is not shown under the second.
  await other.getByRole('button', { name: 'Switch organisation' }).click()
  await other.getByRole('menuitem', { name: 'Northwind Mutual' }).click()
  await expect(heading(other, 'Northwind Mutual')).toBeVisible()
  expect([...inNorthwind]).toEqual([northwind])
  expect(inGlobex).toEqual(new Set([globex, northwind]))
  await page.reload()
  await expect(reason).toHaveValue('Typed in Northwind only.')
})

test('a link can be pressed before the session is known, and released after', async ({ signedIn }) => {
  const page = await signedIn('jonas')
  const held = Promise.withResolvers<void>()
  await page.route('**/token', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto(home())
  await page.getByRole('link', { name: /^Approvals/ }).hover()
  await page.mouse.down()
  held.resolve()
  await expect(heading(page, 'Northwind Mutual')).toBeVisible()
  await page.mouse.up()
  await expect(heading(page, 'Approvals')).toBeVisible()
})

test('the page of a demo tenant says so, also to those who may not enter it', async ({ signedIn, troubles }) => {
  // The answer to someone who is not a member.
  troubles.expect(/status of 403/)
  const page = await signedIn('jonas')
  await page.goto('/t/countersign-demo.harbour')
  await expect(page.getByText('A demo tenant: its times were chosen.')).toBeVisible()
  await expect(page.getByRole('heading', { level: 1, name: /access/ })).toBeVisible()
})

test('a person with one organisation sees no switcher', async ({ signedIn }) => {
  const page = await signedIn('jonas')
  await page.goto(home())
  await page.getByRole('link', { name: /^Approvals/ }).click()
  await expect(heading(page, 'Approvals')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Switch organisation' })).toHaveCount(0)
})

test('a suspension shows only in the open tabs of that organisation, until it is lifted', async ({
  signedIn,
  origin,
  troubles,
}) => {
  troubles.expect(/403/)
  const tom = await personToken(origin, 'tom', 'globex')
  const { items } = await call<{ items: { id: string; displayName: string; username: string }[] }>(
    origin,
    tom,
    'query',
    'members.list',
    { limit: 200 },
  )
  const guest = items.find(({ username }) => username.startsWith('anna') && username !== 'anna')
  if (guest === undefined) throw new Error('The demo lacks its guest in globex.')
  const [page, other] = [await signedIn('anna'), await signedIn('anna')]
  await page.goto(home())
  const frames = framesOf(other)
  await other.goto(`/t/${globex}`)
  await expect(heading(other, 'Globex')).toBeVisible()
  // From here on the server notifies the tab.
  await expect.poll(() => frames.received.some((text) => text.includes('watching'))).toBe(true)
  await call(origin, tom, 'mutation', 'members.suspend', { id: guest.id, reason: 'On leave.' })
  try {
    await expect(heading(other, 'Your access to Globex has ended')).toBeVisible()
    await expectAccessible(other)
    await expect(heading(page, 'Northwind Mutual')).toBeVisible()
  } finally {
    await call(origin, tom, 'mutation', 'members.resume', { id: guest.id })
  }
  await other.reload()
  await expect(heading(other, 'Globex')).toBeVisible()
})

test('every call is signed with a key that can’t be exported, each proof is used once, and the token alone is refused', async ({
  signedIn,
  origin,
}) => {
  const page = await signedIn('jonas')
  const calls: { authorization: string | undefined; dpop: string | undefined; path: string; method: string }[] = []
  page.on('request', (request) => {
    if (!isApi(request)) return
    const { authorization, dpop } = request.headers()
    calls.push({ authorization, dpop, path: new URL(request.url()).pathname, method: request.method() })
  })
  const frames = framesOf(page)
  await page.goto(home())
  await expect.poll(() => frames.sent.find((text) => text.includes('authorization'))).toBeDefined()
  const { data } = JSON.parse(frames.sent.find((text) => text.includes('authorization')) ?? '')
  expect(data.authorization).toMatch(/^DPoP /)
  expect(claimsOf(data.dpop)).toMatchObject({ htm: 'GET', htu: `${origin}/v1` })

  await expect.poll(() => calls.length).toBeGreaterThan(1)
  for (const { authorization, dpop, path, method } of calls) {
    expect(authorization).toMatch(/^DPoP /)
    expect(claimsOf(dpop)).toMatchObject({ htm: method, htu: `${origin}${path}` })
  }
  expect(new Set(calls.map(({ dpop }) => dpop)).size).toBe(calls.length)

  const token = calls[0]?.authorization?.replace('DPoP ', '') ?? ''
  const alone = async (authorization: string) =>
    (await fetch(`${origin}/v1/session.me`, { headers: { authorization } })).status
  expect(await alone(`Bearer ${token}`)).toBe(401)
  expect(await alone(`DPoP ${token}`)).toBe(401)

  const readable = await page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open('countersign')
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
    const pair = await new Promise<CryptoKeyPair>((resolve, reject) => {
      const request = database.transaction('keys').objectStore('keys').get('dpop')
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
    return await crypto.subtle.exportKey('jwk', pair.privateKey).then(
      () => true,
      () => false,
    )
  })
  expect(readable).toBe(false)
})

test('two tabs that renew concurrently both keep the session and use the same new token', async ({
  page,
  context,
  troubles,
}) => {
  troubles.expect(/401/)
  await signIn(page, 'jonas')
  const other = await context.newPage()
  await other.goto(`/t/${northwind}`)
  await expect(heading(other, 'Northwind Mutual')).toBeVisible()
  const stale = await tokenSentBy(page, 'Agents')
  const renewals = countRenewals(context)
  // The API refuses the token of both tabs.
  await context.route('**/v1/**', async (route) => {
    if (route.request().headers().authorization !== stale) return await route.continue()
    await route.fulfill({ status: 401, json: {} })
  })
  const open = (tab: Page) => tab.getByRole('link', { name: 'Executions', exact: true }).click()
  await Promise.all([open(page), open(other)])
  for (const tab of [page, other]) {
    await expect(heading(tab, 'Executions')).toBeVisible()
    await expect(tab.getByRole('link', { name: /^Issue refund/ }).first()).toBeVisible()
    await expect(tab.getByText('Your session has ended.')).toHaveCount(0)
  }
  expect(renewals.count).toBeLessThanOrEqual(2)
  const [one, two] = [await tokenSentBy(page, 'Policies'), await tokenSentBy(other, 'Policies')]
  expect(one).toBe(two)
  expect(one).not.toBe(stale)
})

/** Records all frames of a page's sockets. */
function framesOf(page: Page): { sent: string[]; received: string[] } {
  const frames = { sent: [] as string[], received: [] as string[] }
  page.on('websocket', (socket) => {
    socket.on('framesent', ({ payload }) => frames.sent.push(String(payload)))
    socket.on('framereceived', ({ payload }) => frames.received.push(String(payload)))
  })
  return frames
}

const claimsOf = (proof: string | undefined): unknown =>
  JSON.parse(Buffer.from(proof?.split('.')[1] ?? '', 'base64url').toString())

/** Opens an area that this tab has not loaded yet, and returns the token of its request. */
async function tokenSentBy(tab: Page, area: string): Promise<string> {
  const sent = tab.waitForRequest(isApi)
  await tab.getByRole('link', { name: area, exact: true }).click()
  await expect(heading(tab, area)).toBeVisible()
  return (await sent).headers().authorization ?? ''
}

function countRenewals(context: BrowserContext): { count: number } {
  const renewals = { count: 0 }
  context.on('request', (request) => {
    if (request.method() === 'POST' && request.postData()?.includes('grant_type=refresh_token')) renewals.count += 1
  })
  return renewals
}

test('a person sees where they are signed in, and signs out another device, which notices it', async ({
  page,
  browser,
  origin,
}) => {
  const phone = await browser.newContext({
    baseURL: origin,
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  })
  const elsewhere = await phone.newPage()
  await signIn(elsewhere, 'vera')
  await signIn(page, 'vera')
  await page.goto(`${home()}/settings/me`)
  const sessions = page.getByRole('table', { name: 'Your sessions' })
  const row = sessions.getByRole('row', { name: /Safari on iOS/ })
  await expect(row).toContainText('console')
  await expect(sessions.getByRole('row', { name: /This browser/ }).getByRole('button')).toHaveCount(0)
  await expectAccessible(page)
  await row.getByRole('button', { name: 'Sign out Safari on iOS' }).click()
  const dialog = page.getByRole('dialog', { name: 'Sign out there' })
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Sign out there' }).click()
  await expect(page.getByText('You are signed out on Safari on iOS.')).toBeVisible()
  await expect(row).toHaveCount(0)
  await expect(elsewhere.getByText('Your session has ended. The page may be out of date')).toBeVisible()
  await phone.close()
})
