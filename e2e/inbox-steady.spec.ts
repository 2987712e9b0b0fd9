import type { Locator, Page } from '@playwright/test'
import { decideAs, home, type RefundCase, waitingRefund } from './cases.ts'
import { expect, test } from './fixtures.ts'

// What arrives later moves nothing under the pointer of a reviewer.

// The whole list is visible: a list that is scrolled is held by the browser.
test.use({ viewport: { width: 1280, height: 1600 } })
test.beforeAll('five refunds were approved, so that an amount is usual', async ({ origin }) => {
  for (let count = 0; count < 5; count++) {
    const { approvalId } = await waitingRefund(origin)
    await decideAs(origin, 'jonas', approvalId, 'approve', 'Checked against the claim.')
  }
})

const link = (page: Page, { approvalId }: RefundCase): Locator => page.locator(`[data-row="${approvalId}"]`)
const search = (page: Page): Locator => page.getByRole('searchbox', { name: 'Search', exact: true })
const usual = (page: Page): Locator => page.getByRole('img', { name: /Usual: / }).first()
const count = (page: Page): Locator => page.getByRole('status').filter({ hasText: /^\d+ requests?\.$/ })
const top = async (of: Locator): Promise<number> => (await of.boundingBox())?.y ?? Number.NaN

test('a click on a row counts although another row leaves the list before the button is released', async ({
  signedIn,
  origin,
}) => {
  const leaving = await waitingRefund(origin, { orderId: 'A-1002' })
  const pressed = await waitingRefund(origin)
  const page = await signedIn('jonas')
  await page.goto(`${home()}/approvals?sort=oldest`)
  await expect(usual(page)).toBeVisible()
  await expect(link(page, leaving)).toBeAttached()
  await page.waitForLoadState('networkidle')
  // The press takes the focus from it.
  await search(page).focus()
  await link(page, pressed).hover()
  await page.mouse.down()
  const before = await top(link(page, pressed))
  const counted = await count(page).innerText()
  await decideAs(origin, 'jonas', leaving.approvalId, 'reject', 'Decided elsewhere.')
  // What is above the table says that there is one less.
  await expect(count(page)).not.toHaveText(counted)
  expect(await top(link(page, pressed))).toBe(before)
  await page.mouse.up()
  await expect(page).toHaveURL(new RegExp(pressed.approvalId))
})

test('the row that left is gone after the button is released', async ({ signedIn, origin }) => {
  const leaving = await waitingRefund(origin, { orderId: 'A-1002' })
  const page = await signedIn('jonas')
  await page.goto(`${home()}/approvals?sort=newest`)
  await expect(link(page, leaving)).toBeVisible()
  await page.waitForLoadState('networkidle')
  await page.getByRole('columnheader', { name: 'Requested by' }).hover()
  await page.mouse.down()
  const counted = await count(page).innerText()
  await decideAs(origin, 'jonas', leaving.approvalId, 'reject', 'Decided elsewhere.')
  await expect(count(page)).not.toHaveText(counted)
  await expect(link(page, leaving)).toBeVisible()
  await page.mouse.up()
  await expect(link(page, leaving)).toHaveCount(0)
})

test('a tap counts for the row that was touched, although its click comes after the finger has left', async ({
  signedIn,
  origin,
}) => {
  const leaving = await waitingRefund(origin, { orderId: 'A-1002' })
  const touched = await waitingRefund(origin)
  const page = await signedIn('jonas')
  await page.goto(`${home()}/approvals?sort=oldest`)
  await expect(usual(page)).toBeVisible()
  await page.waitForLoadState('networkidle')
  const row = link(page, touched)
  const touch = { isPrimary: true, pointerType: 'touch', bubbles: true }
  await row.dispatchEvent('pointerdown', touch)
  const before = await top(row)
  const counted = await count(page).innerText()
  await decideAs(origin, 'jonas', leaving.approvalId, 'reject', 'Decided elsewhere.')
  await expect(count(page)).not.toHaveText(counted)
  const after = await row.evaluate(async (element, released) => {
    element.dispatchEvent(new PointerEvent('pointerup', released))
    await new Promise((resolve) => setTimeout(resolve, 50))
    const { y } = element.getBoundingClientRect()
    ;(element as HTMLElement).click()
    return y
  }, touch)
  expect(after).toBe(before)
  await expect(page).toHaveURL(new RegExp(touched.approvalId))
})

test('the time that has passed is drawn after the button is released', async ({ signedIn, origin }) => {
  const pressed = await waitingRefund(origin)
  const page = await signedIn('jonas')
  await page.clock.install()
  await page.goto(`${home()}/approvals?sort=newest`)
  const requested = page
    .getByRole('row')
    .filter({ has: link(page, pressed) })
    .locator('time')
    .nth(-2)
  await expect(requested).toHaveText('just now')
  await search(page).focus()
  await page.getByRole('columnheader', { name: 'Requested by' }).hover()
  await page.mouse.down()
  await page.clock.fastForward(60_000)
  await expect(requested).toHaveText('just now')
  await page.mouse.up()
  await expect(requested).toHaveText('1 min ago')
})

test('rows stay where they are when the usual amounts arrive', async ({ signedIn, origin }) => {
  await waitingRefund(origin, { orderId: 'A-1003' })
  const last = await waitingRefund(origin, { orderId: 'A-1003' })
  const page = await signedIn('jonas')
  const asked = Promise.withResolvers<void>()
  await page.route(/approvals\.usualAmounts/, async (route) => {
    await asked.promise
    await route.continue()
  })
  // Few rows: what else happens to a long list in this moment moves rows, too.
  await page.goto(`${home()}/approvals?sort=oldest&q=A-1003`)
  const rows = page.getByRole('row')
  // Which request is where, and not the row's text: it says how long ago, which changes by itself.
  const places = () =>
    rows.evaluateAll((all) => all.map((row) => [row.getBoundingClientRect().y, row.querySelector('a')?.href]))
  await expect(link(page, last)).toBeVisible()
  const before = await places()
  const answered = page.waitForResponse(/approvals\.usualAmounts/)
  asked.resolve()
  await answered
  await expect(usual(page)).toBeVisible()
  expect(await places()).toEqual(before)
})

test('and keep them while the list changes, until new ones arrive', async ({ signedIn, origin }) => {
  await waitingRefund(origin)
  const page = await signedIn('jonas')
  await page.goto(`${home()}/approvals?sort=oldest`)
  await expect(usual(page)).toBeVisible()
  const pictures = page.getByRole('img', { name: /Usual: / })
  const before = await pictures.count()
  const asked = Promise.withResolvers<void>()
  await page.route(/approvals\.usualAmounts/, async (route) => {
    await asked.promise
    await route.continue()
  })
  const added = await waitingRefund(origin)
  await expect(link(page, added)).toBeVisible()
  expect(await pictures.count()).toBe(before)
  asked.resolve()
  await expect(pictures).toHaveCount(before + 1)
})
