import { address, approveButton, choice, fillIn, open, rail, reason, statusOf } from './approval-page.ts'
import { call, decideAs, externalId, home, personToken, type RefundCase, waitingRefund } from './cases.ts'
import { expect, expectAccessible, test } from './fixtures.ts'

test('Jonas finds the request in his inbox, reads its effect and decides, and the record is sealed', async ({
  signedIn,
  origin,
}) => {
  const refund = await waitingRefund(origin)
  const page = await signedIn('jonas')
  await page.goto(home())
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
  // On a phone, what a call would do comes before what is known around it.
  const headings = await page.locator('main h2').allInnerTexts()
  const place = (title: string) => headings.findIndex((heading) => heading.startsWith(title))
  expect(place('Arguments')).toBeGreaterThan(place('If you approve'))
  expect(place('Earlier decisions')).toBeGreaterThan(place('Arguments'))
  expect(place('Why this needs you')).toBeGreaterThan(place('Earlier decisions'))
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
  const outcome = page.getByRole('region', { name: 'What became of it' })
  await expect(outcome).toContainText('It succeeded')
  // The past tense, now that it has happened.
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Issued refund of €4,200.00 for A-1001')
  await expect(page.getByRole('region', { name: /^What was approved/ })).toContainText(
    'payments.issue_refund was called once, with exactly the arguments below.',
  )
  await expect(outcome).toContainText('Succeeded')
  await expect(record.getByRole('table', { name: 'Votes' })).toContainText('Jonas Berg')
})

test('Maria can reject her own request, but not approve or escalate it, and sees why and who can', async ({
  signedIn,
  origin,
}) => {
  const refund = await waitingRefund(origin)
  const page = await open(await signedIn('maria'), refund)
  await expect(rail(page)).toContainText('You can reject this, but not approve it.')
  await expect(rail(page)).toContainText('You asked for this, so someone else must decide.')
  await expect(rail(page)).toContainText('Jonas Berg')
  for (const name of ['Approve', 'Escalate'] as const) {
    await expect(choice(page, name)).toHaveAttribute('aria-disabled', 'true')
    // `force`, because Playwright would otherwise wait until the option is enabled.
    await choice(page, name).click({ force: true })
    await page.keyboard.press(name.charAt(0))
    await expect(choice(page, name)).not.toBeChecked()
  }
  await page.getByRole('button', { name: 'Decide' }).click({ force: true })
  await expectAccessible(page)
  expect(await statusOf(origin, refund)).toBe('pending')
  await choice(page, 'Reject').check()
  await reason(page).fill('The customer withdrew the claim.')
  await page.getByRole('checkbox', { name: /I have read the effects and reject/ }).check()
  await page.getByRole('button', { name: /^Reject/ }).click()
  await expect(rail(page)).toContainText('Recorded: rejected.')
  expect(await statusOf(origin, refund)).toBe('rejected')
})

test('a person without the permission sees why, and a person who may not list approvals does not see an empty list', async ({
  signedIn,
  origin,
}) => {
  const refund = await waitingRefund(origin)
  const page = await open(await signedIn('vera'), refund)
  await expect(rail(page)).toContainText('You need the permission approval:decide to decide requests.')
  await expectAccessible(page)
})

test('keys choose but never submit; only Ctrl+Enter in the rail submits', async ({ signedIn, origin }) => {
  const refund = await waitingRefund(origin)
  const page = await open(await signedIn('jonas'), refund)
  // The keys work as soon as the form is enabled.
  await expect(choice(page, 'Reject')).toBeEnabled()
  for (const name of ['Reject', 'Escalate', 'Approve'] as const) {
    await page.keyboard.press(name.charAt(0).toLowerCase())
    await expect(choice(page, name)).toBeChecked()
    await expect(reason(page)).toBeFocused()
    await expect(reason(page)).toHaveValue('')
    await page.keyboard.press('Escape')
    await expect(choice(page, name)).toBeFocused()
  }
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

test('a text that is typed before the form is there chooses nothing', async ({ signedIn, origin }) => {
  const refund = await waitingRefund(origin)
  const page = await signedIn('jonas')
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(/\/v1\/[^?]*approvals\.get\b/, async (route) => {
    await released
    await route.continue()
  })
  await page.goto(address(refund))
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('a')
  release()
  const enabled = () =>
    page.evaluate(() => document.querySelector('input[type="radio"]:not([aria-disabled="true"])') !== null)
  // As a person who does not look.
  do await page.keyboard.press('e')
  while (!(await enabled()))
  for (const key of [...'are jkr', 'Shift', 'r', 'Backspace', 'e']) await page.keyboard.press(key)
  for (const name of ['Approve', 'Reject', 'Escalate'] as const) await expect(choice(page, name)).not.toBeChecked()
  expect(page.url()).toContain(refund.approvalId)
  await page.keyboard.press('Escape')
  await page.keyboard.press('a')
  await expect(choice(page, 'Approve')).toBeChecked()
  await expect(reason(page)).toBeFocused()
})

test('Jonas decides with five keys and the reason, and the focus is never lost', async ({ signedIn, origin }) => {
  const refund = await waitingRefund(origin)
  const page = await open(await signedIn('jonas'), refund)
  await expect(choice(page, 'Reject')).toBeEnabled()
  let keys = 0
  const press = async (key: string) => {
    keys += 1
    await page.keyboard.press(key)
    await expect.poll(() => page.evaluate(() => document.activeElement === document.body)).toBe(false)
  }
  await press('r')
  await page.keyboard.type('The customer has withdrawn the claim.')
  await press('Tab')
  await press('Space')
  await press('Control+Enter')
  await expect(rail(page)).toContainText('Recorded: rejected.')
  expect(keys).toBeLessThanOrEqual(8)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Rejected: Issue refund of €4,200.00 for A-1001')
  await expect(page.getByRole('region', { name: /What approval would have meant/ })).toContainText(
    'None of this was done for this request.',
  )
})

test('J and K move through the list that the request was opened from', async ({ signedIn, origin }) => {
  // The request that expires first comes first.
  const first = await waitingRefund(origin)
  const second = await waitingRefund(origin)
  const page = await open(await signedIn('jonas'), first)
  const link = (name: 'next' | 'previous') => page.getByRole('link', { name, exact: true })
  const inList = (refund: RefundCase) => `${address(refund)}?view=needs-me`
  await expect(link('next')).toHaveAttribute('href', inList(second))
  await page.keyboard.press('j')
  await expect(page).toHaveURL(inList(second))
  await expect(link('previous')).toHaveAttribute('href', inList(first))
  await page.keyboard.press('k')
  await expect(page).toHaveURL(inList(first))
})

test('the second of two reviewers sees who decided first, when and why, and keeps the typed reason', async ({
  signedIn,
  origin,
  troubles,
}) => {
  troubles.expect(/409/)
  const refund = await waitingRefund(origin)
  const page = await open(await signedIn('jonas'), refund)
  await fillIn(page, 'My own reason, which must stay.')
  // The page learns of the other decision by the answer to its own, not from a live update.
  const decided = Promise.withResolvers<void>()
  await page.route(/\/v1\/[^?]*approvals\.get\b/, async (route) => {
    await decided.promise
    await route.continue()
  })
  await decideAs(origin, 'anna', refund.approvalId, 'reject', 'Not covered by the contract.')
  await approveButton(page).click()
  decided.resolve()
  await expect(rail(page)).toContainText('Someone else decided first.')
  await expect(rail(page)).toContainText('Anna Ruiz')
  await expect(rail(page)).toContainText('Not covered by the contract.')
  await expect(reason(page)).toHaveValue('My own reason, which must stay.')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Show the record' }).click()
  await expect(page.getByRole('region', { name: 'The decision' })).toContainText('Not covered by the contract.')
})

test('a draft survives a reload, except its acknowledgement, and is deleted after it is sent', async ({
  signedIn,
  origin,
}) => {
  const refund = await waitingRefund(origin)
  const page = await open(await signedIn('jonas'), refund)
  const size = () => page.evaluate(storedBytes, refund.approvalId)
  await choice(page, 'Approve').check()
  await expect.poll(size).toBeGreaterThan(0)
  const withoutReason = await size()
  await reason(page).fill('Half a thought')
  await page.getByRole('checkbox', { name: /can’t be undone/ }).check()
  // Waits until the page has stored the reason, too, before it is reloaded.
  await expect.poll(size).toBeGreaterThan(withoutReason)
  await page.reload()
  await expect(reason(page)).toHaveValue('Half a thought')
  await expect(choice(page, 'Approve')).toBeChecked()
  await expect(page.getByRole('checkbox')).not.toBeChecked()
  await page.getByRole('checkbox').check()
  await approveButton(page).click()
  await expect(rail(page)).toContainText('Recorded: approved.')
  await expect.poll(size).toBe(0)
})

/** The length of the encrypted text that the console has stored in this browser under a name with `part`. Runs in the page. */
async function storedBytes(part: string): Promise<number> {
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
  const name = names.find((one) => String(one).includes(part))
  const sealed = await new Promise<{ data: ArrayBuffer } | undefined>((resolve, reject) => {
    const request = database
      .transaction('texts')
      .objectStore('texts')
      .get(name ?? '')
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  database.close()
  return sealed?.data.byteLength ?? 0
}

test('escalation moves the request to the other group, and it stays open', async ({ signedIn, origin }) => {
  const refund = await waitingRefund(origin)
  const page = await open(await signedIn('jonas'), refund)
  await choice(page, 'Escalate').check()
  await reason(page).fill('Above my limit.')
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Escalate refund of €4,200.00' }).click()
  await expect(rail(page)).toContainText('Recorded: escalated.')
  await expect(rail(page)).toContainText('The request is still waiting')
  expect(await statusOf(origin, refund)).toBe('pending')
})

test('an unknown request is reported as not found', async ({ signedIn, troubles }) => {
  troubles.expect(/404/)
  const page = await signedIn('jonas')
  await page.goto(`/t/${externalId()}/approvals/0198c000-0000-7000-8000-000000000000`)
  await expect(page.getByText('The request can’t be found.')).toBeVisible()
  await expectAccessible(page)
})

test('the address names the list, and an empty list states what would fill it', async ({ signedIn }) => {
  const page = await signedIn('jonas')
  await page.goto(`/t/${externalId()}/approvals`)
  await page.getByRole('link', { name: 'Mine' }).click()
  await expect(page).toHaveURL(/view=mine$/)
  await expect(page.getByText('None of your requests are waiting for a decision.')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Decided', exact: true }).click()
  await expect(page.getByRole('table', { name: 'Approvals' })).toBeVisible()
  await expectAccessible(page)
})

test('without the permission to list approvals, the pages name it and don’t show empty lists', async ({ signedIn }) => {
  const page = await signedIn('pia')
  await page.goto(`/t/${externalId()}/approvals`)
  await expect(page.getByText('You don’t have permission to see approvals.')).toBeVisible()
  await expectAccessible(page)
})
