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
  await expect(rail(maria)).toContainText('You can reject this. You asked for this, so someone else must decide.')
  await expect(maria.getByRole('button', { name: 'Approve…' })).toHaveCount(0)
  await expectAccessible(maria)
})
