import { call, decideAs, externalId, personToken, waitingRefund } from './cases.ts'
import { expect, expectAccessible, test } from './fixtures.ts'

type Policies = { items: { id: string; name: string }[] }
type Decisions = { items: { decisionId: string; executionId: string | null; effect: string; resource: string }[] }

test('a decision opened from a policy’s matches shows the request, the reasons, the version and an identical recomputation', async ({
  signedIn,
  origin,
}) => {
  const { executionId, approvalId } = await waitingRefund(origin)
  await decideAs(origin, 'jonas', approvalId, 'reject', 'Only a test.')
  const maria = await personToken(origin, 'maria')
  const policies = await call<Policies>(origin, maria, 'query', 'policies.list', { limit: 200 })
  const policyId = policies.items.find(({ name }) => name === 'refund-policy')?.id ?? ''
  const decisions = await call<Decisions>(origin, maria, 'query', 'policies.decisions', { policyId, limit: 10 })
  const found = decisions.items.find((one) => one.executionId === executionId && one.effect === 'require_approval')
  if (found === undefined) throw new Error('The refund’s decision is not among the newest decisions of the policy.')

  const page = await signedIn('vera')
  await page.goto(`/t/${externalId()}/policies/${policyId}`)
  const matches = page.getByRole('table', { name: 'Recent matches' })
  await matches.locator(`a[href$="/policies/decisions/${found.decisionId}"]`).click()
  await expect(page).toHaveURL(`/t/${externalId()}/policies/decisions/${found.decisionId}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Decision on payments/issue_refund')
  await expect(page.getByText('Requires approval', { exact: true })).toBeVisible()
  const why = page.getByRole('region', { name: 'Why' })
  await expect(why).toContainText('A refund moves money to a customer; a person decides it.')
  await expect(why).toContainText('refund-policy, version 1: refund-needs-approval')
  const what = page.getByRole('region', { name: 'Details' })
  await expect(what).toContainText('refund-approvers within 7 d (refund-needs-approval)')
  await expect(what.getByRole('link', { name: 'refund-policy, version 1' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Recomputed' })).toContainText('is identical')
  await expectAccessible(page)

  await what.getByRole('link', { name: 'Step refund of an execution' }).click()
  await expect(page).toHaveURL(`/t/${externalId()}/executions/${executionId}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/for A-\d+$/)
})

test('Pia, who can’t see policies, is shown who can', async ({ signedIn }) => {
  const page = await signedIn('pia')
  await page.goto(`/t/${externalId()}/policies/decisions/0198c000-0000-7000-8000-000000000000`)
  await expect(page.getByText('You don’t have permission to see policy decisions.')).toBeVisible()
  await expect(page.getByRole('main')).toContainText('Only a viewer, a developer, an operator, an approver')
  await expectAccessible(page)
})
