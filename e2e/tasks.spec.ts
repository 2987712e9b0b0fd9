import type { Locator, Page } from '@playwright/test'
import { reason, statusOf } from './approval-page.ts'
import { home, type RefundCase, waitingRefund } from './cases.ts'
import { demoUser, expect, test } from './fixtures.ts'

// What a reviewer's main jobs cost, in clicks and keys: the goals of the console, counted as the page receives them.

const text = 'Order and amount checked against the claim.'

declare global {
  interface Window {
    /** Of a page that counts its clicks. */
    countClick?(): void
  }
}

type Counts = { clicks: number }

/** Counts the clicks that the pages of a tab get from now on, also after each navigation. */
async function counted(page: Page): Promise<Counts> {
  const counts: Counts = { clicks: 0 }
  await page.exposeFunction('countClick', () => {
    counts.clicks += 1
  })
  // Runs in the page. A capturing listener of the window comes before all others.
  const listen = () => window.addEventListener('pointerdown', () => window.countClick?.(), true)
  await page.addInitScript(listen)
  return counts
}

const item = (page: Page, { approvalId }: RefundCase): Locator => page.locator(`a[href*="${approvalId}"]`).first()

/** Types into the field that has the focus, which no click had to set. */
async function typeInto(field: Locator, value: string): Promise<void> {
  await expect(field).toBeFocused()
  await field.page().keyboard.type(value)
}

/** Approves the request that is open, with three clicks: the decision, the acknowledgement and the button. */
async function approve(page: Page): Promise<void> {
  const rail = page.getByRole('region', { name: /^Decided?$/ })
  await rail.getByRole('radio', { name: /^Approve/ }).click()
  await typeInto(reason(page), text)
  await rail.getByRole('checkbox').click()
  await rail.getByRole('button', { name: /^Approve/ }).click()
  await expect(rail).toContainText('Recorded: approved.')
}

test('a newcomer decides a real approval with at most seven clicks, from the address alone', async ({
  page,
  origin,
}) => {
  const refund = await waitingRefund(origin)
  const counts = await counted(page)
  await page.goto('/')
  await typeInto(page.getByRole('textbox', { name: 'Organisation' }), 'northwind')
  await page.getByRole('button', { name: 'Continue' }).click()
  await typeInto(page.getByRole('textbox', { name: 'User name' }), 'jonas')
  await page.keyboard.press('Tab')
  await typeInto(page.getByLabel('Password'), demoUser('jonas').password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  // Home shows the requests that expire first; the one of this test may not be among them.
  await page.getByRole('link', { name: 'All approvals' }).click()
  await item(page, refund).click()
  await approve(page)
  expect(await statusOf(origin, refund)).toBe('approved')
  expect(counts.clicks).toBeGreaterThan(0)
  expect(counts.clicks).toBeLessThanOrEqual(7)
})

test('from the inbox, the mouse decides with four clicks and the reason', async ({ signedIn, origin }) => {
  const refund = await waitingRefund(origin)
  const page = await signedIn('jonas')
  const counts = await counted(page)
  await page.goto(`${home()}/approvals`)
  await item(page, refund).click()
  await approve(page)
  expect(await statusOf(origin, refund)).toBe('approved')
  expect(counts.clicks).toBe(4)
})

test('from the inbox, eight keys and the reason decide, without the mouse', async ({ signedIn, origin }) => {
  const refund = await waitingRefund(origin)
  const page = await signedIn('jonas')
  const counts = await counted(page)
  await page.goto(`${home()}/approvals?q=${refund.approvalId}`)
  await expect(item(page, refund)).toBeVisible()
  let keys = 0
  const press = async (key: string) => {
    keys += 1
    await page.keyboard.press(key)
  }
  await press('j')
  await press('Enter')
  await expect(page.getByRole('radio', { name: /^Approve/ })).toBeEnabled()
  await press('a')
  await typeInto(reason(page), text)
  await press('Tab')
  await press('Space')
  await press('Control+Enter')
  await expect(page.getByRole('region', { name: /^Decided?$/ })).toContainText('Recorded: approved.')
  expect(await statusOf(origin, refund)).toBe('approved')
  expect({ keys: keys <= 8, clicks: counts.clicks }).toEqual({ keys: true, clicks: 0 })
})
