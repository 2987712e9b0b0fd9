import type { Page } from '@playwright/test'
import { call, decideAs, externalId, personToken, type RefundCase, waitingRefund } from './cases.ts'
import { expect, expectAccessible, signIn, test } from './fixtures.ts'

const address = ({ approvalId }: RefundCase) => `/t/${externalId()}/approvals/${approvalId}`
const rail = (page: Page) => page.getByRole('region', { name: /^(?:Decided?|Expired)$/ })
const reason = (page: Page) => page.getByRole('textbox', { name: 'Reason' })
const choice = (page: Page, name: 'Approve' | 'Reject' | 'Escalate') => page.getByRole('radio', { name })
const approveButton = (page: Page) => page.getByRole('button', { name: 'Approve refund of €4,200.00' })

async function openAs(page: Page, username: string, refund: RefundCase): Promise<void> {
  await signIn(page, username)
  await page.goto(address(refund))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Issue refund of €4,200.00 for A-1001')
}

async function fillIn(page: Page, why = 'Order and amount checked against the claim.'): Promise<void> {
  await choice(page, 'Approve').check()
  await reason(page).fill(why)
  await page.getByRole('checkbox', { name: /can’t be undone/ }).check()
}

const statusOf = async (origin: string, { approvalId }: RefundCase) =>
  (
    await call<{ status: string }>(origin, await personToken(origin, 'jonas'), 'query', 'approvals.get', {
      approvalId,
    })
  ).status

test('Jonas finds the request in his inbox, reads its effect and decides, and the record is sealed', async ({
  page,
  origin,
}) => {
  const refund = await waitingRefund(origin)
  await signIn(page, 'jonas')
  await expect(
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Approvals \d+/ }),
  ).toBeVisible()
  await page.getByRole('link', { name: 'All approvals' }).click()
  // The home page also has a table of approvals.
  await expect(page.getByRole('heading', { level: 1, name: 'Approvals' })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Approvals' })).toBeVisible()
  await expectAccessible(page)
  await page.locator(`a[href*="${refund.approvalId}"]`).click()

  const effects = page.getByRole('region', { name: /If you approve/ })
  await expect(effects).toContainText('payments.issue_refund is called once, with exactly the arguments below.')
  await expect(effects).toContainText('cannot be undone')
  await expect(page.getByRole('region', { name: 'Arguments' })).toContainText('"4200.00"')
  await expect(page.getByRole('region', { name: 'Why this needs you' })).toContainText('refund-needs-approval')
  await expect(page.getByRole('region', { name: 'What led here' })).toContainText('execute_tool lookup_order')
  for (const name of ['Approve', 'Reject', 'Escalate'] as const) await expect(choice(page, name)).not.toBeChecked()
  await expectAccessible(page)

  await fillIn(page)
  await expectAccessible(page)
  await approveButton(page).click()
  await expect(rail(page)).toContainText('Recorded: approved.')
  await expect(rail(page).getByRole('link')).toBeFocused()
  const record = page.getByRole('region', { name: 'Your decision' })
  await expect(record).toContainText('Order and amount checked against the claim.')
  await expect(record).toContainText('Sealed, not checked here', { timeout: 90_000 })
  await record.getByRole('button', { name: 'Verify this record' }).click()
  await expect(record).toContainText('Verified in this session')
  await expectAccessible(page)

  await expect
    .poll(async () => {
      const input = { id: refund.executionId }
      return (
        await call<{ status: string }>(origin, await personToken(origin, 'jonas'), 'query', 'executions.get', input)
      ).status
    })
    .toBe('succeeded')
})

test('Maria can’t decide her own request, and sees the reason and the people who can', async ({ page, origin }) => {
  const refund = await waitingRefund(origin)
  await openAs(page, 'maria', refund)
  await expect(rail(page)).toContainText('You can’t decide this.')
  await expect(rail(page)).toContainText('You asked for this, so someone else must decide.')
  await expect(rail(page)).toContainText('Jonas Berg')
  for (const name of ['Approve', 'Reject', 'Escalate'] as const)
    await expect(choice(page, name)).toHaveAttribute('aria-disabled', 'true')
  await expect(reason(page)).not.toBeEditable()
  // `force`, because Playwright would otherwise wait until the button is enabled.
  await page.getByRole('button', { name: 'Decide' }).click({ force: true })
  await expectAccessible(page)
  expect(await statusOf(origin, refund)).toBe('pending')
})

test('a person without the permission sees why, and a person who may not list approvals does not see an empty list', async ({
  page,
  origin,
}) => {
  const refund = await waitingRefund(origin)
  await openAs(page, 'vera', refund)
  await expect(rail(page)).toContainText('You need the permission approval:decide to decide requests.')
  await expectAccessible(page)
})

test('keys choose but never submit; only Ctrl+Enter in the rail submits', async ({ page, origin }) => {
  const refund = await waitingRefund(origin)
  await openAs(page, 'jonas', refund)
  // The keys work as soon as the form is enabled.
  await expect(choice(page, 'Reject')).toBeEnabled()
  await page.keyboard.press('r')
  await expect(choice(page, 'Reject')).toBeChecked()
  await page.keyboard.press('e')
  await expect(choice(page, 'Escalate')).toBeChecked()
  await page.keyboard.press('a')
  await expect(choice(page, 'Approve')).toBeChecked()
  await reason(page).fill('Are reasons with a, r, e, j and k typed?')
  await reason(page).press('r')
  await expect(choice(page, 'Approve')).toBeChecked()
  await page.getByRole('checkbox').check()
  await page.getByRole('main').focus()
  await page.keyboard.press('Control+Enter')
  await expect(approveButton(page)).toBeVisible()
  expect(await statusOf(origin, refund)).toBe('pending')
  await reason(page).press('Control+Enter')
  await expect(rail(page)).toContainText('Recorded: approved.')
})

test('J and K move through the list that the request was opened from', async ({ page, origin }) => {
  const older = await waitingRefund(origin)
  const newer = await waitingRefund(origin)
  await openAs(page, 'jonas', newer)
  const link = (name: 'next' | 'previous') => page.getByRole('link', { name, exact: true })
  const inList = (refund: RefundCase) => `${address(refund)}?view=needs-me`
  await expect(link('next')).toHaveAttribute('href', inList(older))
  await page.keyboard.press('j')
  await expect(page).toHaveURL(inList(older))
  await expect(link('previous')).toHaveAttribute('href', inList(newer))
  await page.keyboard.press('k')
  await expect(page).toHaveURL(inList(newer))
})

test('the second of two reviewers sees who decided first, when and why, and keeps the typed reason', async ({
  page,
  origin,
  troubles,
}) => {
  troubles.expect(/409/)
  const refund = await waitingRefund(origin)
  await openAs(page, 'jonas', refund)
  await fillIn(page, 'My own reason, which must stay.')
  await decideAs(origin, 'anna', refund.approvalId, 'reject', 'Not covered by the contract.')
  await approveButton(page).click()
  await expect(rail(page)).toContainText('Someone else decided first.')
  await expect(rail(page)).toContainText('Anna Ruiz')
  await expect(rail(page)).toContainText('Not covered by the contract.')
  await expect(reason(page)).toHaveValue('My own reason, which must stay.')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Show the record' }).click()
  await expect(page.getByRole('region', { name: 'The decision' })).toContainText('Not covered by the contract.')
})

test('a draft survives a reload, except its acknowledgement, and is deleted after it is sent', async ({
  page,
  origin,
}) => {
  const refund = await waitingRefund(origin)
  await openAs(page, 'jonas', refund)
  await fillIn(page, 'Half a thought')
  // Waits until the page has stored the draft before it is reloaded.
  await expect.poll(() => page.evaluate(storedNames)).toContainEqual(expect.stringContaining(refund.approvalId))
  await page.reload()
  await expect(reason(page)).toHaveValue('Half a thought')
  await expect(choice(page, 'Approve')).toBeChecked()
  await expect(page.getByRole('checkbox')).not.toBeChecked()
  await page.getByRole('checkbox').check()
  await approveButton(page).click()
  await expect(rail(page)).toContainText('Recorded: approved.')
  await expect.poll(() => page.evaluate(storedNames)).not.toContainEqual(expect.stringContaining(refund.approvalId))
})

/** Returns the names of the texts that the console has stored in this browser. Runs in the page. */
async function storedNames(): Promise<string[]> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open('countersign')
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  const names = await new Promise<IDBValidKey[]>((resolve, reject) => {
    const request = database.transaction('texts').objectStore('texts').getAllKeys()
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  database.close()
  return names.map(String)
}

test('after a lost response the outcome is unknown until the page finds the recorded decision', async ({
  page,
  origin,
  troubles,
}) => {
  troubles.expect(/Failed to load resource/)
  const refund = await waitingRefund(origin)
  await openAs(page, 'jonas', refund)
  await fillIn(page)
  let lost = 0
  await page.route('**/v1/approvals.decide', async (route) => {
    lost += 1
    await route.fetch()
    await route.abort('connectionreset')
  })
  let holdReads = true
  await page.route(/\/v1\/[^?]*approvals\.get\b/, async (route) =>
    holdReads ? await route.abort('failed') : await route.continue(),
  )
  await approveButton(page).click()
  await expect(rail(page)).toContainText('Outcome unknown. Checking…')
  await expect(reason(page)).not.toBeEditable()
  await expectAccessible(page)
  holdReads = false
  await expect(rail(page)).toContainText('Recorded: approved.')
  expect(lost).toBe(1)
})

test('after a lost request the form unlocks if the approval is still pending, and retries with the same key', async ({
  page,
  origin,
  troubles,
}) => {
  troubles.expect(/Failed to load resource/)
  const refund = await waitingRefund(origin)
  await openAs(page, 'jonas', refund)
  await fillIn(page)
  const keys: (string | undefined)[] = []
  await page.route('**/v1/approvals.decide', async (route) => {
    keys.push(route.request().headers()['idempotency-key'])
    if (keys.length === 1) await route.abort('connectionreset')
    else await route.continue()
  })
  await approveButton(page).click()
  await expect(rail(page)).toContainText('Your decision was not recorded.')
  await approveButton(page).click()
  await expect(rail(page)).toContainText('Recorded: approved.')
  expect(keys).toHaveLength(2)
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
  expect(keys[1]).toBe(keys[0])
})

test('only one decision is in flight at a time, and the form is locked until it ends', async ({ page, origin }) => {
  const refund = await waitingRefund(origin)
  await openAs(page, 'jonas', refund)
  await fillIn(page)
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  let sent = 0
  await page.route('**/v1/approvals.decide', async (route) => {
    sent += 1
    await held
    await route.continue()
  })
  await approveButton(page).click()
  const busy = page.getByRole('button', { name: 'Recording your decision…' })
  await busy.click({ force: true })
  await reason(page).press('Control+Enter')
  await expect(choice(page, 'Reject')).toHaveAttribute('aria-disabled', 'true')
  await expect(reason(page)).not.toBeEditable()
  await expect(rail(page)).not.toContainText('Recorded')
  await expectAccessible(page)
  release()
  await expect(rail(page)).toContainText('Recorded: approved.')
  expect(sent).toBe(1)
})

test('offline, typed text stays and nothing can be sent', async ({ page, context, origin, troubles }) => {
  troubles.expect(/ERR_INTERNET_DISCONNECTED/)
  const refund = await waitingRefund(origin)
  await openAs(page, 'jonas', refund)
  await fillIn(page)
  await context.setOffline(true)
  await expect(rail(page)).toContainText('You are offline.')
  await expect(approveButton(page)).toHaveAttribute('aria-disabled', 'true')
  await expectAccessible(page)
  await context.setOffline(false)
  await expect(approveButton(page)).not.toHaveAttribute('aria-disabled', 'true')
  await expect(reason(page)).toHaveValue('Order and amount checked against the claim.')
})

test('after too many requests a countdown runs, then the same decision can be sent', async ({
  page,
  origin,
  troubles,
}) => {
  troubles.expect(/429/)
  const refund = await waitingRefund(origin)
  await openAs(page, 'jonas', refund)
  await fillIn(page)
  let answered = false
  await page.route('**/v1/approvals.decide', async (route) => {
    if (answered) return await route.continue()
    answered = true
    const data = {
      code: 'TOO_MANY_REQUESTS',
      httpStatus: 429,
      path: 'approvals.decide',
      requestId: 'r-1',
      reason: 'rate_limited',
      retryable: true,
    }
    await route.fulfill({
      status: 429,
      headers: { 'retry-after': '9', 'content-type': 'application/json' },
      body: JSON.stringify({ error: { json: { message: 'Too many requests.', code: -32029, data } } }),
    })
  })
  await approveButton(page).click()
  await expect(rail(page)).toContainText(/Try again in [1-9] s\./)
  await expectAccessible(page)
  await expect(approveButton(page)).not.toHaveAttribute('aria-disabled', 'true')
  await approveButton(page).click()
  await expect(rail(page)).toContainText('Recorded: approved.')
})

/** `route.fetch` may send a request twice, and a DPoP proof is accepted once. The page then retries with a new proof. */
const sentTwice = /401 \(Unauthorized\) \(.*approvals\.get/

test('a request that expires while it is open shows it immediately, and keeps the typed text', async ({
  page,
  origin,
  troubles,
}) => {
  troubles.expect(sentTwice)
  const refund = await waitingRefund(origin)
  await signIn(page, 'jonas')
  let expiresAt: string | undefined
  await page.route(/\/v1\/[^?]*approvals\.get\b/, async (route) => {
    const response = await route.fetch()
    const text = await response.text()
    const body = expiresAt === undefined ? text : text.replaceAll(/"expiresAt":"[^"]+"/g, `"expiresAt":"${expiresAt}"`)
    await route.fulfill({ response, body })
  })
  await page.goto(address(refund))
  await choice(page, 'Approve').check()
  await reason(page).fill('Too slow')
  // The page requests the approval again by itself, and the response states that it expires soon.
  expiresAt = new Date(Date.now() + 25_000).toISOString()
  await expect(rail(page)).toContainText('This request has expired.', { timeout: 90_000 })
  await expect(reason(page)).toHaveValue('Too slow')
  await expectAccessible(page)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('a changed payload is shown as a difference, and must be reviewed again', async ({ page, origin, troubles }) => {
  troubles.expect(sentTwice)
  const refund = await waitingRefund(origin)
  // No change is committed that the server could report. Without its socket, the page polls.
  await page.routeWebSocket(/\/v1/, (socket) => socket.onMessage(() => void socket.close()))
  await signIn(page, 'jonas')
  let changed = false
  await page.route(/\/v1\/[^?]*approvals\.get\b/, async (route) => {
    const response = await route.fetch()
    const text = await response.text()
    const other = text
      .replaceAll('"value":"4200.00"', '"value":"9900.00"')
      .replaceAll(/sha256:[0-9a-f]{64}/g, `sha256:${'ab'.repeat(32)}`)
    await route.fulfill({ response, body: changed ? other : text })
  })
  await page.goto(address(refund))
  await fillIn(page)
  changed = true
  await expect(rail(page)).toContainText('The payload has changed.', { timeout: 60_000 })
  await expect(rail(page)).toContainText('9900.00')
  await expect(page.getByRole('region', { name: 'Arguments' })).toContainText('4200.00')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Review the current request' }).click()
  await expect(page.getByRole('region', { name: 'Arguments' })).toContainText('9900.00')
  await expect(page.getByRole('checkbox')).not.toBeChecked()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('escalation moves the request to the other group, and it stays open', async ({ page, origin }) => {
  const refund = await waitingRefund(origin)
  await openAs(page, 'jonas', refund)
  await choice(page, 'Escalate').check()
  await reason(page).fill('Above my limit.')
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Escalate refund of €4,200.00' }).click()
  await expect(rail(page)).toContainText('Recorded: escalated.')
  await expect(rail(page)).toContainText('The request is still waiting')
  expect(await statusOf(origin, refund)).toBe('pending')
})

test('an unknown request is reported as not found', async ({ page, troubles }) => {
  troubles.expect(/404/)
  await signIn(page, 'jonas')
  await page.goto(`/t/${externalId()}/approvals/0198c000-0000-7000-8000-000000000000`)
  await expect(page.getByText('The request can’t be found.')).toBeVisible()
  await expectAccessible(page)
})

test('the address names the list, and an empty list states what would fill it', async ({ page }) => {
  await signIn(page, 'jonas')
  await page.goto(`/t/${externalId()}/approvals`)
  await page.getByRole('link', { name: 'Mine' }).click()
  await expect(page).toHaveURL(/view=mine$/)
  await expect(page.getByText('None of your requests are waiting for a decision.')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Decided', exact: true }).click()
  await expect(page.getByRole('table', { name: 'Approvals' })).toBeVisible()
  await expectAccessible(page)
})

test('without the permission to list approvals, the pages name it and don’t show empty lists', async ({ page }) => {
  await signIn(page, 'pia')
  await page.goto(`/t/${externalId()}/approvals`)
  await expect(page.getByText('You don’t have permission to see approvals.')).toBeVisible()
  await expectAccessible(page)
})
