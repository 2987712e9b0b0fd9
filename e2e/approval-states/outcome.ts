import type { Page } from '@playwright/test'
import { approveButton, choice, rail, reason } from '../approval-page.ts'
import { call, personToken } from '../cases.ts'
import { expect } from '../fixtures.ts'
import { hold } from '../gate.ts'
import { refundManifest, releasedAgent, startAs } from '../own-agent.ts'
import { addressOf, drafted, type Scene, type State, why } from './state.ts'

const outcome = (page: Page) => page.getByRole('region', { name: 'What became of it' })

/** What became of the call after its approval, on the page that was open all the time. */
export const outcomeStates = {
  'outcome-running': {
    async reach(scene) {
      const gate = hold('issue_refund')
      scene.after(() => gate.open())
      return approved(scene)
    },
    says: 'It is running',
    within: outcome,
  },
  'outcome-succeeded': { reach: approved, says: 'It succeeded', within: outcome },
  'outcome-failed': {
    async reach({ origin, signedIn }) {
      // The tool does not know this order.
      const approvalId = await askFor(origin, { id: 'A-4040', amount: '10.00' })
      const page = await signedIn('jonas')
      await page.goto(addressOf(approvalId))
      await choice(page, 'Approve').check()
      await reason(page).fill(why)
      await rail(page).getByRole('checkbox').check()
      await rail(page).getByRole('button', { name: 'Approve refund of €10.00' }).click()
      return page
    },
    says: /It failed.*Order A-4040 was not found\./s,
    within: outcome,
  },
} satisfies Record<string, State>

async function approved(scene: Scene): Promise<Page> {
  const { page } = await drafted(scene)
  await approveButton(page).click()
  await expect(rail(page)).toContainText('Recorded: approved.')
  return page
}

/** Starts an execution whose refund waits for approval. Returns the id of the request. */
async function askFor(origin: string, input: { id: string; amount: string }): Promise<string> {
  const agentId = await releasedAgent(origin, refundManifest(`e2e-outcome-${Date.now()}`))
  const id = await startAs(origin, agentId, input)
  const maria = await personToken(origin, 'maria')
  type Execution = { steps: { approvalId: string | null }[] }
  let approvalId = ''
  await expect
    .poll(async () => {
      const { steps } = await call<Execution>(origin, maria, 'query', 'executions.get', { id })
      approvalId = steps[0]?.approvalId ?? ''
      return approvalId
    })
    .not.toBe('')
  return approvalId
}
