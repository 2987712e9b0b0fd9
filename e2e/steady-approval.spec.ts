import { open } from './approval-page.ts'
import { waitingRefund } from './cases.ts'
import { expect, test } from './fixtures.ts'

// What a reviewer is reading stays where it is.

for (const width of [1280, 390])
  test(`the usual amounts have their place before they come, ${width} pixels wide`, async ({ signedIn, origin }) => {
    const refund = await waitingRefund(origin)
    const page = await signedIn('jonas')
    await page.setViewportSize({ width, height: 900 })
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/approvals.history*', async (route) => {
      await held
      await route.continue()
    })
    await open(page, refund)
    const place = async () => (await page.getByRole('region', { name: /^If you approve/ }).boundingBox())?.y
    const theCase = page.getByRole('region', { name: /^The case/ })
    await expect(theCase).toContainText('€4,200.00')
    const before = await place()
    release()
    await expect(theCase).toContainText(/Usual:|Too few amounts/)
    expect(await place()).toBe(before)
  })
