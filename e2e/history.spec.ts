import { call, decideAs, home, personToken } from './cases.ts'
import { expectEveryView } from './every-view.ts'
import { expect, test } from './fixtures.ts'
import { releasedAgent, startAs } from './own-agent.ts'

/** A flow that refunds what its caller names, after an approval. */
const refunds = (name: string): string => `metadata:
  name: ${name}
spec:
  runtime:
    steps:
      - id: refund
        tool:
          server: payments
          name: issue_refund
          arguments: { id: "\${input.claim}", amount: "\${input.amount}", currency: CHF }
  tools:
    - mcp: { server: payments }
      allow: [issue_refund]
      requireApproval: [issue_refund]
  governance:
    approvals: { group: refund-approvers, quorum: 1, expiresAfter: P7D }
  approvalCard:
    facts:
      - { label: Claim, value: "\${input.claim}" }
`

type Pending = { approvalId: string; title: string }

async function ask(origin: string, agentId: string, claim: string, amount: string): Promise<string> {
  await startAs(origin, agentId, { claim, amount })
  const token = await personToken(origin, 'jonas')
  const find = async () => {
    const { items } = await call<{ items: Pending[] }>(origin, token, 'query', 'approvals.getPending', { limit: 100 })
    return items.find(({ title }) => title.endsWith(`for ${claim}`))?.approvalId
  }
  await expect.poll(find).toBeDefined()
  return (await find()) ?? ''
}

test('a reviewer is warned of a second refund for one claim, and sees what was usual', async ({ signedIn, origin }) => {
  const agentId = await releasedAgent(origin, refunds('claim-refunds'))
  const amounts = ['22.10', '59.90', '96.00', '184.50', '310.00', '412.00']
  for (const [index, amount] of amounts.entries()) {
    const approvalId = await ask(origin, agentId, `C-${index + 1}`, amount)
    await decideAs(origin, 'jonas', approvalId, index === 2 ? 'reject' : 'approve', `Claim ${index + 1} was checked.`)
  }
  const again = await ask(origin, agentId, 'C-2', '4200.00')

  const page = await signedIn('jonas')
  await page.goto(`${home()}/approvals?agent=claim-refunds&view=all`)
  await expect(page.getByRole('row', { name: /C-2/ })).toContainText('approved for the same object before')
  await page.locator(`[data-row="${again}"]`).click()
  await expect(page.getByText('The same action on the same object was approved before:')).toBeVisible()
  await expect(page.getByText('“Claim 2 was checked.”').first()).toBeVisible()
  await expect(page.getByRole('radio', { name: 'Approve' })).toHaveAccessibleDescription(
    /although the same was approved for this object before/,
  )
  const theCase = page.getByRole('region', { name: 'The case' })
  await expect(theCase).toContainText('CHF 4,200.00')
  await expect(theCase.getByRole('img', { name: /^Usual amounts: CHF 22.10 to CHF 412.00/ })).toBeVisible()
  await expect(theCase).toContainText('Of the last 5 approved, none was larger.')
  const earlier = page.getByRole('region', { name: 'Earlier decisions' })
  await expect(earlier.getByRole('table', { name: 'Decisions on the same object' })).toContainText('Jonas Berg')
  await expect(earlier).toContainText('approved,')
  await page.getByText('As a table, with reasons').click()
  await expect(earlier.getByRole('table', { name: 'Decisions on the same action' })).toContainText(
    'Claim 3 was checked.',
  )
  await page.getByRole('radio', { name: 'Approve' }).check()
  await expect(page.getByRole('checkbox', { name: /the same was approved for this object before/ })).toBeVisible()
  await expectEveryView(page, 'history')

  await page.getByRole('link', { name: 'Open that decision' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('CHF 59.90 for C-2')
  await expect(page.getByRole('region', { name: 'What was approved' })).toBeVisible()
})

test('what a colleague approves for the same object warns on a page that is open, and clears its acknowledgement', async ({
  signedIn,
  origin,
}) => {
  const agentId = await releasedAgent(origin, refunds('same-claim-refunds'))
  const first = await ask(origin, agentId, 'C-70', '15.00')
  await startAs(origin, agentId, { claim: 'C-70', amount: '16.00' })
  const page = await signedIn('jonas')
  await page.goto(`${home()}/approvals/${first}`)
  await page.getByRole('radio', { name: 'Approve' }).check()
  await page.getByRole('textbox', { name: 'Reason' }).fill('Checked against the claim.')
  const acknowledgement = page.getByRole('checkbox', { name: /I have read the effects/ })
  await acknowledgement.check()
  const token = await personToken(origin, 'jonas')
  const second = async () => {
    const { items } = await call<{ items: Pending[] }>(origin, token, 'query', 'approvals.getPending', { limit: 100 })
    return items.find(({ approvalId, title }) => title.endsWith('for C-70') && approvalId !== first)?.approvalId
  }
  await expect.poll(second).toBeDefined()
  await decideAs(origin, 'anna', (await second()) ?? '', 'approve', 'The larger claim.')
  await expect(page.getByText('The same action on the same object was approved before:')).toBeVisible({
    timeout: 10_000,
  })
  await expect(acknowledgement).not.toBeChecked()
  await expect(acknowledgement).toHaveAccessibleName(/the same was approved for this object before/)
  await expect(page.getByRole('textbox', { name: 'Reason' })).toHaveValue('Checked against the claim.')
})
