import { address } from './approval-page.ts'
import { requestedRefund } from './approval-states/state.ts'
import { decideAs } from './cases.ts'
import { expect, test } from './fixtures.ts'
import { refundManifest, releasedAgent } from './own-agent.ts'

// What a reviewer is reading stays where it is.

/** As many as make amounts usual. */
const approved = 5

test('the usual amounts, and what was approved before, have their place before they come', async ({
  signedIn,
  origin,
}) => {
  const agentId = await releasedAgent(origin, refundManifest(`e2e-steady-${Date.now()}`))
  for (let order = 1; order <= approved; order++) {
    const { approvalId } = await requestedRefund(origin, agentId, `STEADY-${order}`)
    await decideAs(origin, 'jonas', approvalId, 'approve', 'Checked.')
  }
  const [fresh, again] = [
    await requestedRefund(origin, agentId, 'STEADY-0'),
    await requestedRefund(origin, agentId, 'STEADY-1'),
  ]
  const page = await signedIn('jonas')
  for (const width of [1280, 390])
    for (const request of [fresh, again]) {
      await page.setViewportSize({ width, height: 900 })
      const { promise: held, resolve: release } = Promise.withResolvers<void>()
      await page.route('**/approvals.history*', async (route) => {
        await held
        await route.continue()
      })
      await page.goto(address(request))
      const place = async () => (await page.getByRole('region', { name: /^If you approve/ }).boundingBox())?.y
      const theCase = page.getByRole('region', { name: /^The case/ })
      await expect(theCase).toContainText('€182.40')
      const warning = page.getByText('The same action on the same object was approved before')
      await expect(warning).toHaveCount(request === again ? 1 : 0)
      const before = await place()
      release()
      await expect(theCase).toContainText('Usual:')
      if (request === again) await expect(page.getByText(/“Checked\.”/).first()).toBeVisible()
      expect(await place(), `${width} px`).toBe(before)
      await page.unrouteAll({ behavior: 'wait' })
    }
})
