import { call, decideAs, externalId, personToken, waitingRefund } from './cases.ts'
import { demoTenant, expect, expectAccessible, signIn, test } from './fixtures.ts'

test('maria starts the refund in the console, and it waits for a person', async ({ page }) => {
  await signIn(page, 'maria')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Executions' }).click()
  await expect(page).toHaveTitle('Executions · Countersign')
  await expect(page.getByRole('table', { name: 'Executions' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Start an execution' }).click()
  await expect(page).toHaveTitle('Start an execution · Countersign')
  await page.getByLabel('Agent').selectOption({ label: 'Refund assistant (refund-assistant)' })
  await page.getByRole('radio', { name: 'production' }).check()

  const input = page.getByRole('textbox', { name: 'Input' })
  await input.fill('{\n  "orderId" "A-1002"\n}')
  await expect(page.getByText('Line 2, column 13: A colon must follow the name.')).toBeVisible()
  await expectAccessible(page)
  await input.fill('{ "orderId": "A-1002" }')
  await page.getByRole('button', { name: 'Start Refund assistant' }).click()

  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Refund assistant in production')
  const journal = page.getByRole('region', { name: 'Journal' })
  await expect(journal).toContainText('An approval was asked for, from refund-approvers')
  await expect(journal).toContainText('payments.lookup_order answered')
  await expect(page.getByRole('region', { name: 'Steps' })).toContainText('Waiting for approval')
  await expect(page.getByRole('link', { name: 'Open the request', exact: true }).first()).toBeVisible()
  await expectAccessible(page)

  const executionId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const { origin } = new URL(page.url())
  const token = await personToken(origin, 'maria')
  const execution = await call<{ status: string; input: unknown; steps: { approvalId: string | null }[] }>(
    origin,
    token,
    'query',
    'executions.get',
    { id: executionId },
  )
  expect(execution).toMatchObject({ status: 'waiting_approval', input: { orderId: 'A-1002' } })

  // The page follows by itself when somebody else decides.
  const approvalId = execution.steps.find((step) => step.approvalId !== null)?.approvalId ?? ''
  await decideAs(origin, 'jonas', approvalId, 'approve', 'Order checked.')
  await expect(journal).toContainText('The execution succeeded')
  await expect(journal).toContainText('payments.issue_refund was called')
  await expectAccessible(page)
})

test('a rejected execution says so in plain words', async ({ page, origin }) => {
  const { executionId, approvalId } = await waitingRefund(origin)
  await decideAs(origin, 'jonas', approvalId, 'reject', 'Not this one.')
  await signIn(page, 'maria')
  await page.goto(`/t/${externalId()}/executions/${executionId}`)
  const panel = page.getByRole('alert', { name: 'A reviewer rejected the call, so the execution stopped.' })
  await expect(panel).toContainText('The tool was not called. One tool call was completed before.')
  await expectAccessible(page)
})

test('an environment that no policy governs is refused, and the page says what to do', async ({
  page,
  origin,
  troubles,
}) => {
  // The browser reports each answer that is an error.
  troubles.expect(/status of 409/)
  const agentId = await refundAgent(origin)
  const token = await pipelineToken(origin)
  const environment = `e2e-${Date.now()}`
  const { approvalId } = await call<{ approvalId: string }>(origin, token, 'mutation', 'releases.propose', {
    agentId,
    version: '1.4.0',
    environment,
  })
  await decideAs(origin, 'jonas', approvalId, 'approve', 'Only to be tried out.')
  await signIn(page, 'maria')
  await page.goto(`/t/${externalId()}/executions/new?agentId=${agentId}`)
  await page.getByRole('radio', { name: environment }).check()
  await page.getByRole('textbox', { name: 'Input' }).fill('{"orderId": "A-1003"}')
  await page.getByRole('button', { name: 'Start Refund assistant' }).click()
  const panel = page.getByRole('alert', { name: 'The execution was not started.' })
  await expect(panel).toContainText(`No approved policy binding governs refund-assistant in ${environment}.`)
  await expect(panel).toContainText('Propose a policy binding')
  await expect(panel.getByRole('link', { name: 'Open Refund assistant' })).toBeVisible()
  await expectAccessible(page)
})

test('without the permission the pages say who has it, and another tenant’s id is not there', async ({
  page,
  troubles,
}) => {
  troubles.expect(/status of 404/)
  await signIn(page, 'pia')
  await page.goto(`/t/${externalId()}/executions`)
  await expect(page.getByText('You may not see executions.')).toBeVisible()
  await expect(page.getByText('execution:read')).toBeVisible()
  await expectAccessible(page)
  await page.goto(`/t/${externalId()}/traces/${'0'.repeat(31)}1`)
  await expect(page.getByText('The trace can’t be found.')).toBeVisible({ timeout: 20_000 })
})

async function refundAgent(origin: string): Promise<string> {
  const token = await personToken(origin, 'maria')
  const agents = await call<{ items: { id: string; name: string }[] }>(origin, token, 'query', 'agents.list', {})
  return agents.items.find(({ name }) => name === 'refund-assistant')?.id ?? ''
}

async function pipelineToken(origin: string): Promise<string> {
  const client = demoTenant().clients.find(({ clientId }) => clientId === 'ci-pipeline')
  if (client === undefined) throw new Error('The demo has no ci-pipeline.')
  const response = await fetch(`${origin}/realms/northwind/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: client.clientSecret,
    }),
  })
  return (await response.json()).access_token
}
