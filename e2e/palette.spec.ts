import type { Locator, Page } from '@playwright/test'
import { home, waitingRefund } from './cases.ts'
import { expectEveryView } from './every-view.ts'
import { expect, test } from './fixtures.ts'

// The palette, the help and the keys, which offer the actions of the page.

const heading = (page: Page, name: string): Locator => page.getByRole('heading', { name, level: 1 })
const field = (page: Page): Locator => page.getByRole('combobox', { name: 'Search, or run a command' })
const options = (page: Page, name: string | RegExp): Locator => page.getByRole('option', { name })

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await expect(field(page)).toBeFocused()
}

test('a request, its execution and its trace are found by words and by ids', async ({ signedIn, origin }) => {
  const refund = await waitingRefund(origin)
  const page = await signedIn('jonas')
  await page.goto(home())
  await expect(heading(page, 'Northwind Mutual')).toBeVisible()
  await openPalette(page)
  await page.keyboard.type('aydin a-1001')
  const approvals = page.getByRole('group', { name: 'Approvals' })
  await expect(approvals.getByRole('option').first()).toContainText('A-1001')
  await expect(page.getByRole('group', { name: 'Executions' }).getByRole('option').first()).toContainText('A-1001')
  await expectEveryView(page, 'palette-found')
  await field(page).fill(refund.approvalId)
  await expect(page.getByRole('option')).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`/approvals/${refund.approvalId}$`))
  await expect(field(page)).toHaveCount(0)
  await openPalette(page)
  // What was opened is offered again.
  await expect(page.getByRole('group', { name: 'Opened before' }).getByRole('option')).toHaveCount(1)
  await page.keyboard.type(refund.executionId.toUpperCase())
  await expect(page.getByRole('option')).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`/executions/${refund.executionId}`))
})

test('Ctrl K works as soon as its button is shown', async ({ signedIn }) => {
  const page = await signedIn('jonas')
  await page.addInitScript(() => {
    const press = () => {
      if (document.querySelector('[aria-keyshortcuts="Control+K Meta+K"]') === null) return
      observer.disconnect()
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true }))
    }
    const observer = new MutationObserver(press)
    observer.observe(document, { subtree: true, childList: true })
  })
  await page.goto(home())
  await expect(field(page)).toBeFocused()
})

test('pages and commands are chosen by the beginnings of their words, as far as the person may', async ({
  signedIn,
}) => {
  const page = await signedIn('jonas')
  await page.goto(home())
  await expect(heading(page, 'Northwind Mutual')).toBeVisible()
  await openPalette(page)
  await expect(options(page, /^Go to evidence/)).toBeVisible()
  // Jonas is an approver.
  await expect(options(page, /^Export evidence/)).toHaveCount(0)
  await page.keyboard.type('go tra')
  await expect(page.getByRole('option')).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(heading(page, 'Traces')).toBeVisible()
  await openPalette(page)
  await page.keyboard.type('xyzzy')
  await expect(page.getByRole('status').filter({ hasText: 'Nothing was found.' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(field(page)).toHaveCount(0)
})

test('the keys of a page are listed, work, are in the palette, and can be turned off', async ({ signedIn, origin }) => {
  await waitingRefund(origin)
  const page = await signedIn('jonas')
  await page.goto(`${home()}/approvals`)
  const first = page.getByRole('checkbox', { name: /^Select / }).nth(1)
  await expect(first).toBeVisible()
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keys' })
  for (const text of ['Next request', 'Select the request', 'Search in the requests', 'Reject the selected requests'])
    await expect(help).toContainText(text)
  await expectEveryView(page, 'palette-help')
  await help.getByRole('button', { name: 'Turn single keys off' }).click()
  await expect(help).not.toContainText('Next request')
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await expect(help).toHaveCount(0)
  // The palette does not need single keys. What can’t be done yet says why.
  await openPalette(page)
  await expect(options(page, /^Reject the selected requests/)).toContainText('No request is selected.')
  await expect(options(page, /^Reject the selected requests/)).toHaveAttribute('aria-disabled', 'true')
  await page.keyboard.type('show keys')
  await page.keyboard.press('Enter')
  await help.getByRole('button', { name: 'Turn single keys on' }).click()
  await page.keyboard.press('Escape')
  await first.check()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('reject sel')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: /^Reject 1 request/ })).toBeVisible()
})

test('on a phone the palette is behind an icon', async ({ signedIn }) => {
  const page = await signedIn('jonas')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(home())
  await page.getByRole('button', { name: /^Search, or run a command/ }).click()
  await expect(field(page)).toBeFocused()
  await field(page).fill('approvals')
  await options(page, /^Go to approvals/).click()
  await expect(heading(page, 'Approvals')).toBeVisible()
})
