import { approveButton, fillIn, open, reason } from '../approval-page.ts'
import { waitingRefund } from '../cases.ts'
import { expect } from '../fixtures.ts'
import { addressOf, changeReads, drafted, holdCalls, holdReads, type State } from './state.ts'

/** From opening a request until the server has confirmed the decision. */
export const formStates = {
  loading: {
    async reach(scene) {
      const { approvalId } = await waitingRefund(scene.origin)
      const page = await scene.signedIn('jonas')
      await holdReads(scene, page)
      await page.goto(addressOf(approvalId))
      return page
    },
    says: 'Loading the request…',
    within: (page) => page.getByRole('main'),
  },
  open: {
    reach: async ({ origin, signedIn }) => open(await signedIn('jonas'), await waitingRefund(origin)),
    says: 'Decision',
  },
  drafting: {
    reach: async (scene) => (await drafted(scene)).page,
    says: 'understand that the refund of €4,200.00 can’t be undone',
  },
  'another-digest': {
    // The server never answers with other arguments than those that it would run.
    async reach(scene) {
      const { approvalId } = await waitingRefund(scene.origin)
      const page = await scene.signedIn('jonas')
      await changeReads(scene, page, (text) => text.replaceAll('C-20418', 'C-20419'))
      await page.goto(addressOf(approvalId))
      await fillIn(page)
      return page
    },
    says: 'This page does not show what would run: its digest differs.',
  },
  submitting: {
    async reach(scene) {
      const { page } = await drafted(scene)
      await holdCalls(scene, page, '**/v1/approvals.decide')
      await approveButton(page).click()
      await expect(reason(page)).not.toBeEditable()
      return page
    },
    says: 'Recording your decision…',
  },
  unknown: {
    async reach(scene) {
      scene.expectTrouble(/Failed to load resource/)
      const { page } = await drafted(scene)
      // The server records the decision; its answer, and what the page reads to find out, are lost.
      await page.route('**/v1/approvals.decide', async (route) => {
        await route.fetch()
        await route.abort('connectionreset')
      })
      await page.route(/\/v1\/[^?]*approvals\.get\b/, (route) => route.abort('failed'))
      await approveButton(page).click()
      return page
    },
    says: 'Outcome unknown. Checking…',
  },
  'not-recorded': {
    async reach(scene) {
      scene.expectTrouble(/Failed to load resource/)
      const { page } = await drafted(scene)
      await page.route('**/v1/approvals.decide', (route) => route.abort('connectionreset'))
      await approveButton(page).click()
      return page
    },
    says: 'Your decision was not recorded.',
  },
  recorded: {
    async reach(scene) {
      const { page } = await drafted(scene)
      await approveButton(page).click()
      return page
    },
    says: 'Recorded: approved.',
  },
} satisfies Record<string, State>
