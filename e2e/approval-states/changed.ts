import type { Page } from '@playwright/test'
import { appearance } from '../appearance.ts'
import { approveButton, choice, rail, reason } from '../approval-page.ts'
import { call, clientToken, decideAs, personToken, waitingRefund } from '../cases.ts'
import { reportTime } from '../counts.ts'
import { expect } from '../fixtures.ts'
import { refundManifest, releasedAgent } from '../own-agent.ts'
import {
  addressOf,
  askAsAnna,
  changeReads,
  drafted,
  holdReads,
  requestedRefund,
  type Scene,
  type State,
  why,
} from './state.ts'

/** Others, or the clock, have changed or ended the request. */
export const changedStates = {
  decided: {
    async reach({ origin, signedIn }) {
      const { approvalId } = await waitingRefund(origin)
      await decideAs(origin, 'anna', approvalId, 'reject', 'Not covered by the contract.')
      const page = await signedIn('jonas')
      await page.goto(addressOf(approvalId))
      return page
    },
    says: 'This request is already rejected.',
  },
  expired: { reach: expiresWhileOpen, says: 'This request has expired.' },
  conflict: {
    async reach(scene) {
      scene.expectTrouble(/409/)
      const { page, refund } = await drafted(scene)
      // The page learns of the other decision by the answer to its own, not from a live update.
      const release = await holdReads(scene, page)
      await decideAs(scene.origin, 'anna', refund.approvalId, 'reject', 'Not covered by the contract.')
      await approveButton(page).click()
      release()
      await expectDraft(page)
      return page
    },
    says: /Someone else decided first\..*Anna Ruiz.*Not covered by the contract\./s,
  },
  'decided-elsewhere': {
    async reach(scene) {
      const { page, refund, news } = await drafted(scene)
      news.begin()
      const shown = appearance(page, 'Someone else decided first.')
      const began = Date.now()
      await decideAs(scene.origin, 'anna', refund.approvalId, 'reject', 'Not covered by the contract.')
      reportTime('decided elsewhere, from the call to the screen', (await shown) - began)
      await news.expectPushed()
      await expectDraft(page)
      return page
    },
    says: /Someone else decided first\..*Anna Ruiz.*Not covered by the contract\./s,
  },
  'other-arguments': {
    async reach(scene) {
      const { origin } = scene
      const { page, refund, news } = await drafted(scene)
      news.begin()
      const shown = appearance(page, 'Your decision was not recorded. What you typed is still here.')
      const began = Date.now()
      const { approvalId } = refund
      const [anna, maria] = [await personToken(origin, 'anna'), await personToken(origin, 'maria')]
      await call(origin, anna, 'mutation', 'approvals.requestChanges', { approvalId, reason: 'Half of it.' })
      await call(origin, maria, 'mutation', 'approvals.revise', { approvalId, changes: { amount: '2100.00' } })
      reportTime('other arguments, from the first call to the screen', (await shown) - began)
      await news.expectPushed()
      await expectDraft(page)
      await expect(rail(page)).toContainText('A reviewer requested changes.')
      await page.getByRole('button', { name: 'Show the record' }).click()
      return page
    },
    says: /Half of it\..*Open the request with other arguments/s,
    within: (page) => page.getByRole('region', { name: 'Changes requested' }),
  },
  drifted: {
    // The payload of a request never changes on the server: other arguments are another request.
    async reach(scene) {
      const { approvalId } = await waitingRefund(scene.origin)
      const page = await scene.signedIn('jonas')
      let changed = false
      await changeReads(scene, page, (text) =>
        changed
          ? text
              .replaceAll('"value":"4200.00"', '"value":"9900.00"')
              .replaceAll(/sha256:[0-9a-f]{64}/g, `sha256:${'ab'.repeat(32)}`)
          : text,
      )
      await page.goto(addressOf(approvalId))
      await choice(page, 'Approve').check()
      await reason(page).fill(why)
      changed = true
      await askAsAnna(scene.origin, approvalId)
      await expectDraft(page)
      return page
    },
    says: /The payload has changed\..*9900\.00/s,
  },
} satisfies Record<string, State>

/** The time that a request with a short deadline has. Its clock stands while the page is opened and filled in. */
const seconds = 6

/** The clock of the request stands while a question is open, so that the deadline comes only after the page is filled in. */
async function expiresWhileOpen({ origin, signedIn }: Scene): Promise<Page> {
  const approvals = { expiresAfter: `PT${seconds}S`, pauseOnQuestion: true }
  const agentId = await releasedAgent(origin, refundManifest(`e2e-hasty-${Date.now()}`, { approvals }))
  const { approvalId } = await requestedRefund(origin, agentId)
  const { questionId } = await askAsAnna(origin, approvalId)
  const page = await signedIn('jonas')
  await page.goto(addressOf(approvalId))
  await choice(page, 'Approve').check()
  await reason(page).fill(why)
  const shown = appearance(page, 'This request has expired.')
  const ci = await clientToken(origin, 'ci-pipeline')
  await call(origin, ci, 'mutation', 'approvals.answer', { approvalId, questionId, answer: 'Yes, on 4 March.' })
  const { expiresAt } = await call<{ expiresAt: string }>(
    origin,
    await personToken(origin, 'jonas'),
    'query',
    'approvals.get',
    { approvalId },
  )
  const late = (await shown) - Date.parse(expiresAt)
  reportTime('expired, from the deadline to the screen', late)
  expect(late).toBeGreaterThanOrEqual(0)
  // The server records it a moment later, and the page reads that.
  await expect(page.getByRole('region', { name: 'How it ended' })).toContainText('It expired')
  await expectDraft(page)
  return page
}

const expectDraft = (page: Page) => expect(reason(page)).toHaveValue(why)
