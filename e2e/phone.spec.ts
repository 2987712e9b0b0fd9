import type { Page } from '@playwright/test'
import { choice, open, rail, reason, statusOf } from './approval-page.ts'
import { home, waitingRefund } from './cases.ts'
import { expect, expectAccessible, test } from './fixtures.ts'

// A decision on a telephone: the verdict is within reach from the first moment, and large enough for a thumb.

test('the verdict is always within reach, and four taps and the reason decide', async ({ signedIn, origin }) => {
  const refund = await waitingRefund(origin)
  const page = await signedIn('jonas')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${home()}/approvals?view=all&sort=newest`)
  await page.locator(`[data-row="${refund.approvalId}"]`).click()

  const approve = page.getByRole('button', { name: 'Approve…' })
  await expect(approve).toBeInViewport({ ratio: 1 })
  await expect(page.getByRole('button', { name: 'Reject…' })).toBeInViewport({ ratio: 1 })
  await expect(reason(page)).toBeHidden()
  await expectAccessible(page)
  for (const button of await rail(page).getByRole('button').all()) {
    const box = await button.boundingBox()
    expect(box?.height).toBeGreaterThanOrEqual(44)
    expect(box?.width).toBeGreaterThanOrEqual(44)
  }
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
  await expect(approve).toBeInViewport({ ratio: 1 })

  await approve.click()
  await expect(choice(page, 'Approve')).toBeChecked()
  await expect(choice(page, 'Approve')).toBeFocused()
  await expect(rail(page)).toBeInViewport()
  await expectAccessible(page)
  await reason(page).fill('Order and amount checked against the claim.')
  await page.getByRole('checkbox', { name: /can’t be undone/ }).check()
  const decide = page.getByRole('button', { name: 'Approve refund of €4,200.00' })
  await expect(decide).toBeInViewport({ ratio: 1 })
  await decide.click()
  await expect(rail(page)).toContainText('Recorded: approved.')
  expect(await statusOf(origin, refund)).toBe('approved')
})

test('leaving the sheet keeps the draft, and the bar says what is chosen or why nothing can be', async ({
  signedIn,
  origin,
}) => {
  const refund = await waitingRefund(origin)
  const page = await signedIn('jonas')
  await page.setViewportSize({ width: 390, height: 844 })
  await open(page, refund)
  await page.getByRole('button', { name: 'Reject…' }).click()
  await reason(page).fill('Not covered.')
  await page.getByRole('button', { name: 'Back to the case' }).click()
  await expect(reason(page)).toBeHidden()
  await expect(rail(page)).toContainText('Reject is chosen. Confirm that you have read what happens.')
  await expect(page.getByRole('button', { name: 'Reject…' })).toBeFocused()
  await page.getByRole('button', { name: 'All choices' }).click()
  await expect(reason(page)).toHaveValue('Not covered.')

  const maria = await signedIn('maria')
  await maria.setViewportSize({ width: 390, height: 844 })
  await open(maria, refund)
  await expect(rail(maria)).toContainText(
    'You can reject this, but not approve it. You asked for this, so someone else must decide.',
  )
  await expect(maria.getByText('You can only reject')).toBeVisible()
  await expect(maria.getByText('You can’t decide')).toHaveCount(0)
  await expect(maria.getByRole('button', { name: 'Approve…' })).toHaveCount(0)
  await expectAccessible(maria)
})

/**
 * The controls of the page that are too small for a thumb, with their size. The label of a checkbox or a radio button belongs to it;
 * a link inside a sentence may be as high as its line.
 */
const tooSmall = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const inSentence = (one: Element) => {
      const sentence = one.matches('a') ? one.closest('p, figcaption') : null
      return sentence !== null && (sentence.textContent ?? '').trim().length > (one.textContent ?? '').trim().length + 1
    }
    const boxOf = (one: Element) => {
      const label = one instanceof HTMLInputElement ? [...(one.labels ?? [])] : []
      const boxes = [one, ...label].map((part) => part.getBoundingClientRect())
      const ends = (name: 'left' | 'right' | 'top' | 'bottom') => boxes.map((box) => box[name])
      return {
        width: Math.max(...ends('right')) - Math.min(...ends('left')),
        height: Math.max(...ends('bottom')) - Math.min(...ends('top')),
      }
    }
    return [...document.querySelectorAll('main :is(a, button, summary, input, select, textarea)')]
      .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !inSentence(one))
      .map((one) => ({ one, ...boxOf(one) }))
      .filter(({ width, height }) => Math.min(width, height) < 43.5)
      .map(({ one, width, height }) => `${Math.round(width)} × ${Math.round(height)}: ${one.outerHTML.slice(0, 200)}`)
  })

test('everything on the page of a request, before and after the decision, and in the inbox is large enough for a thumb', async ({
  signedIn,
  origin,
}) => {
  const refund = await waitingRefund(origin)
  await waitingRefund(origin)
  const page = await signedIn('jonas')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${home()}/approvals?view=all&sort=newest`)
  await page.getByRole('button', { name: 'Filter' }).click()
  await page
    .getByRole('checkbox', { name: /^Select / })
    .nth(1)
    .check()
  expect(await tooSmall(page)).toEqual([])
  await page.locator(`[data-row="${refund.approvalId}"]`).click()
  await expect(page.getByRole('link', { name: 'next', exact: true })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Earlier decisions' })).toBeVisible()
  for (const summary of await page.locator('main summary').all()) await summary.click()
  expect(await page.locator('main summary').count()).toBeGreaterThan(0)
  await page.getByRole('button', { name: 'Ask Maria Köhler…' }).click()
  expect(await tooSmall(page)).toEqual([])
  await page.getByRole('button', { name: 'Reject…' }).click()
  await expect(choice(page, 'Reject')).toBeChecked()
  expect(await tooSmall(page)).toEqual([])
  await reason(page).fill('The customer has withdrawn the claim.')
  await page.getByRole('checkbox', { name: /reject/ }).check()
  await rail(page)
    .getByRole('button', { name: /^Reject refund/ })
    .click()
  await expect(rail(page)).toContainText('Recorded: rejected.')
  expect(await tooSmall(page)).toEqual([])
  await page.goto(`${home()}/approvals?view=decided`)
  await expect(page.locator('main table a').first()).toBeVisible()
  expect(await tooSmall(page)).toEqual([])
})
