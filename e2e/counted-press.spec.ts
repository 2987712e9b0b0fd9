import type { Locator, Page } from '@playwright/test'
import { home, waitingRefund } from './cases.ts'
import { expect, test } from './fixtures.ts'

// A press counts although the page moves its control before the button is released.

/** Something appears above the content of the page, and moves all of it. */
const moveDown = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const above = document.createElement('div')
    above.style.height = '120px'
    document.querySelector('#main')?.prepend(above)
  })
const top = async (of: Locator): Promise<number> => (await of.boundingBox())?.y ?? Number.NaN

/** The control must be where the pointer is when it is pressed, so nothing may still be loading above it. */
async function pressAndMove(page: Page, control: Locator): Promise<void> {
  await expect(control).toBeVisible()
  await page.waitForLoadState('networkidle')
  await control.hover()
  await page.mouse.down()
  const before = await top(control)
  await moveDown(page)
  await expect.poll(() => top(control)).toBe(before + 120)
}

test('a link and a button that move while they are pressed do what they say', async ({ signedIn, origin }) => {
  const { approvalId } = await waitingRefund(origin)
  const page = await signedIn('jonas')
  await page.goto(`${home()}/approvals/${approvalId}`)
  await pressAndMove(page, page.getByRole('button', { name: 'Request changes…' }))
  await page.mouse.up()
  await expect(page.getByRole('textbox', { name: 'What should change' })).toBeFocused()

  await page.goto(`${home()}/agents`)
  await pressAndMove(page, page.getByRole('main').getByRole('link', { name: 'Refund' }).first())
  await page.mouse.up()
  await expect(page).toHaveURL(/agents\/[0-9a-f-]+$/)
})

test('a pointer that leaves a control, and a key, press nothing else', async ({ signedIn, origin }) => {
  const { approvalId } = await waitingRefund(origin)
  const page = await signedIn('jonas')
  await page.goto(`${home()}/approvals/${approvalId}`)
  const request = page.getByRole('button', { name: 'Request changes…' })
  await pressAndMove(page, request)
  const box = await request.boundingBox()
  if (box === null) throw new Error('The button is not visible.')
  await page.mouse.move(box.x + box.width / 2, box.y - 140)
  await page.mouse.up()
  await page.getByRole('button', { name: 'Ask Maria Köhler…' }).press('Enter')
  await expect(page.getByRole('textbox', { name: 'Your question to Maria Köhler' })).toBeFocused()
  await expect(page.getByRole('textbox', { name: 'What should change' })).toHaveCount(0)
})
