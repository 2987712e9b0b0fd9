import type { Page } from '@playwright/test'
import { address, fillIn, open, rail, reason } from './approval-page.ts'
import { decideAs, home, waitingRefund } from './cases.ts'
import { expect, test } from './fixtures.ts'

// The focus is never lost to the body: where a control disappears, what appears in its place gets it.

/** Waits for the next frame, so that a loss of the focus would have happened. */
const inBody = (page: Page): Promise<boolean> =>
  page.evaluate(
    () =>
      new Promise<boolean>((resolve) =>
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(document.activeElement === document.body))),
      ),
  )

async function pressed(page: Page, key: string): Promise<void> {
  await page.keyboard.press(key)
  expect(await inBody(page), `after ${key}`).toBe(false)
}

test('a question, a request for changes and their forms pass the focus on', async ({ signedIn, origin }) => {
  const page = await open(await signedIn('jonas'), await waitingRefund(origin))
  const ask = page.getByRole('button', { name: 'Ask Maria Köhler…' })
  const question = page.getByRole('textbox', { name: 'Your question to Maria Köhler' })
  await ask.focus()
  await pressed(page, 'Enter')
  await expect(question).toBeFocused()
  await page.getByRole('button', { name: 'Not now' }).focus()
  await pressed(page, 'Enter')
  await expect(ask).toBeFocused()
  await pressed(page, 'Enter')
  await page.keyboard.type('Is the claim settled?')
  await pressed(page, 'Tab')
  await pressed(page, 'Enter')
  await expect(page.getByRole('region', { name: 'Questions' })).toContainText('Is the claim settled?')
  await expect(ask).toBeFocused()

  const request = page.getByRole('button', { name: 'Request changes…' })
  await request.focus()
  await pressed(page, 'Enter')
  await expect(page.getByRole('textbox', { name: 'What should change' })).toBeFocused()
  await page.keyboard.type('Only the part that is not disputed.')
  await pressed(page, 'Tab')
  await pressed(page, 'Enter')
  await expect(page.getByRole('region', { name: 'Changes requested' })).toContainText('not disputed')
  expect(await inBody(page)).toBe(false)
})

test('a value that is shown in full gets the focus', async ({ signedIn, origin }) => {
  const page = await signedIn('jonas')
  await page.route(/\/v1\/[^?]*approvals\.get\b/, async (route) => {
    const response = await route.fetch()
    // The argument alone: the amounts of earlier decisions are drawn as numbers.
    const change = (_key: string, value: unknown) =>
      typeof value === 'object' && value !== null && Reflect.get(value, 'path') === 'amount'
        ? { ...value, value: 'word '.repeat(300) }
        : value
    await route.fulfill({ response, body: JSON.stringify(JSON.parse(await response.text(), change)) })
  })
  await page.goto(address(await waitingRefund(origin)))
  const show = page.getByRole('button', { name: 'Show the full value' })
  await show.first().focus()
  const before = await show.count()
  await pressed(page, 'Enter')
  await expect(show).toHaveCount(before - 1)
  await expect(page.locator(':focus')).toContainText('word word')
})

test('the answer, the review of a conflict and the verification keep it in their region', async ({
  signedIn,
  origin,
  troubles,
}) => {
  troubles.expect(/409/)
  const refund = await waitingRefund(origin)
  const page = await open(await signedIn('jonas'), refund)
  await fillIn(page)
  await decideAs(origin, 'anna', refund.approvalId, 'reject', 'Not covered by the contract.')
  await expect(rail(page)).toContainText('Someone else decided first.')
  expect(await inBody(page)).toBe(false)
  await page.getByRole('button', { name: 'Show the record' }).focus()
  await pressed(page, 'Enter')
  await expect(reason(page)).toHaveCount(0)
  await expect(rail(page)).toBeFocused()
  const record = page.getByRole('region', { name: 'The decision' })
  await expect(record).toContainText('Sealed, not checked here', { timeout: 90_000 })
  await record.getByRole('button', { name: 'Verify this record' }).focus()
  await pressed(page, 'Enter')
  await expect(record).toContainText('Verified in this session')
  await expect(record).toBeFocused()
})

test('a request that is opened, and one that leaves the list, keep it in the page', async ({ signedIn, origin }) => {
  const refund = await waitingRefund(origin)
  const page = await signedIn('jonas')
  await page.goto(`${home()}/approvals?q=${refund.approvalId}`)
  const link = page.locator(`[data-row="${refund.approvalId}"]`)
  await expect(link).toBeVisible()
  await pressed(page, 'j')
  await expect(link).toBeFocused()
  await decideAs(origin, 'anna', refund.approvalId, 'reject', 'Not covered by the contract.')
  await expect(link).toHaveCount(0)
  expect(await inBody(page)).toBe(false)

  const other = await waitingRefund(origin)
  await page.goto(`${home()}/approvals?q=${other.approvalId}`)
  await expect(page.locator(`[data-row="${other.approvalId}"]`)).toBeVisible()
  await pressed(page, 'j')
  await page.keyboard.press('Enter')
  await expect(rail(page)).toBeVisible()
  expect(await inBody(page)).toBe(false)
})

test('the palette gives it back to what had it', async ({ signedIn }) => {
  const page = await signedIn('maria')
  await page.goto(home())
  const palette = page.getByRole('dialog', { name: 'Search, or run a command' })
  const all = page.getByRole('link', { name: 'All agents' })
  await all.focus()
  await page.keyboard.press('ControlOrMeta+K')
  await expect(palette).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(palette).toBeHidden()
  await expect(all).toBeFocused()
  const find = page.getByRole('button', { name: /^Search, or run a command/ })
  await find.click()
  await expect(palette).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(find).toBeFocused()
})
