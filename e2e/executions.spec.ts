import { call, clientToken, decideAs, externalId, personToken, waitingInput, waitingRefund } from './cases.ts'
import { expect, expectAccessible, signIn, test } from './fixtures.ts'
import { hold, wasCalled } from './gate.ts'
import { releasedAgent } from './own-agent.ts'

test('a refund that Maria starts in the console waits for a person', async ({ page }) => {
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
  await expect(journal).toContainText('An approval was requested from refund-approvers')
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

  // The page updates by itself when another person decides.
  const approvalId = execution.steps.find((step) => step.approvalId !== null)?.approvalId ?? ''
  await decideAs(origin, 'jonas', approvalId, 'approve', 'Order checked.')
  await expect(journal).toContainText('The execution succeeded')
  await expect(journal).toContainText('payments.issue_refund was called')
  await expectAccessible(page)
})

test('the page of a rejected execution states the rejection', async ({ page, origin }) => {
  const { executionId, approvalId } = await waitingRefund(origin)
  await decideAs(origin, 'jonas', approvalId, 'reject', 'Not this one.')
  await signIn(page, 'maria')
  await page.goto(`/t/${externalId()}/executions/${executionId}`)
  const panel = page.getByRole('alert', { name: 'A reviewer rejected the call, so the execution stopped.' })
  await expect(panel).toContainText('The tool was not called. One tool call was completed earlier.')
  await expectAccessible(page)
})

test('an environment that no policy governs is refused, and the page says what to do', async ({
  page,
  origin,
  troubles,
}) => {
  // The browser reports each error response.
  troubles.expect(/status of 409/)
  const agentId = await refundAgent(origin)
  const token = await clientToken(origin, 'ci-pipeline')
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

test('starting an execution whose first call is denied reports it and links to the records', async ({
  page,
  origin,
  troubles,
}) => {
  troubles.expect(/status of 403/)
  const name = `payer-${Date.now()}`
  const agentId = await releasedAgent(
    origin,
    `metadata: { name: ${name} }
spec:
  runtime:
    steps:
      - { id: pay, tool: { server: payments, name: issue_refund, arguments: { id: A-1003, amount: "\${input.amount}", currency: EUR } } }
  tools: [{ mcp: { server: payments }, allow: [issue_refund] }]
`,
  )
  await signIn(page, 'maria')
  await page.goto(`/t/${externalId()}/executions/new?agentId=${agentId}`)
  await page.getByRole('textbox', { name: 'Input' }).fill('{"amount": "20000.00"}')
  await page.getByRole('button', { name: `Start ${name}` }).click()
  const panel = page.getByRole('alert', { name: 'The first call of the execution was denied.' })
  await expect(panel).toContainText("A refund above 10,000.00 is not the assistant's to make.")
  await expect(panel).toContainText('Nothing ran. The attempt is recorded in the audit log.')
  await expectAccessible(page)
  await panel.getByRole('link', { name: 'Open the denied execution' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`${name} in production`)
  await expect(page.getByRole('region', { name: 'Journal' })).toContainText('denied')
})

test('without the permission the pages name the roles that have it, and another tenant’s id is not found', async ({
  page,
  troubles,
}) => {
  troubles.expect(/status of 404/)
  await signIn(page, 'pia')
  await page.goto(`/t/${externalId()}/executions`)
  await expect(page.getByText('You don’t have permission to see executions.')).toBeVisible()
  await expect(page.getByText('execution:read')).toBeVisible()
  await expectAccessible(page)
  await page.goto(`/t/${externalId()}/traces/${'0'.repeat(31)}1`)
  await expect(page.getByText('The trace can’t be found.')).toBeVisible({ timeout: 20_000 })
})

test('the list is filtered by state and agent, and the address keeps the filters', async ({ page, origin }) => {
  const { executionId, agentId } = await waitingInput(origin)
  await signIn(page, 'omar')
  await page.goto(`/t/${externalId()}/executions`)
  const table = page.getByRole('table', { name: 'Executions' })
  await expect(table).toBeVisible()
  await page.getByLabel('State').selectOption({ label: 'Waiting for input' })
  await expect(page).toHaveURL(/\?status=waiting_input$/)
  await expect(table.locator(`a[href$="${executionId}"]`)).toBeVisible()
  await expect(table.locator('tbody tr').filter({ hasNotText: 'Waiting for input' })).toHaveCount(0)
  await page.getByLabel('Agent').selectOption({ label: 'Refund assistant' })
  await expect(page).toHaveURL(new RegExp(`status=waiting_input&agentId=${agentId}$`))
  await expectAccessible(page)
  await page.reload()
  await expect(page.getByLabel('State')).toHaveValue('waiting_input')
  await expect(table.locator(`a[href$="${executionId}"]`)).toBeVisible()
  await page.getByLabel('State').selectOption({ label: 'Timed out' })
  await expect(page.getByText('No executions match these filters.')).toBeVisible()
  await expectAccessible(page)
})

test('Omar sends the input that an execution waits for; after a lost response a retry is accepted only once', async ({
  page,
  origin,
  troubles,
}) => {
  troubles.expect(/net::ERR_FAILED/)
  const { executionId } = await waitingInput(origin)
  await signIn(page, 'omar')
  await page.goto(`/t/${externalId()}/executions/${executionId}`)
  await expect(page.getByRole('region', { name: 'Journal' })).toContainText('Input was requested: manager_confirmation')
  await page.getByRole('link', { name: 'Open the waits' }).click()
  const waits = page.getByRole('region', { name: 'Waits' })
  await expect(waits).toContainText('1 open')
  await expect(waits).toContainText('without an answer by then, the execution ends as expired')
  await expectAccessible(page)

  const keys: (string | null)[] = []
  // The first response is lost after the server has accepted the event.
  await page.route('**/v1/input-events', async (route) => {
    keys.push(await route.request().headerValue('idempotency-key'))
    if (keys.length > 1) return await route.continue()
    await route.fetch()
    await route.abort()
  })
  await waits.getByRole('button', { name: 'Send manager_confirmation' }).click()
  const dialog = page.getByRole('dialog', { name: 'Send manager_confirmation' })
  await dialog.getByLabel('Answer (JSON)').fill('{ "confirmed": tru }')
  await expect(dialog).toContainText('Line 1, column 16: tru is not a JSON value.')
  await dialog.getByLabel('Answer (JSON)').fill('{ "confirmed": true }')
  await dialog.getByRole('button', { name: 'Send manager_confirmation' }).click()
  await expect(dialog.getByRole('alert', { name: 'It is unknown whether the answer was accepted.' })).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Send manager_confirmation' }).click()
  await expect(dialog).toContainText('This answer was already accepted and was not recorded twice.')
  expect(keys).toHaveLength(2)
  expect(keys[0]).toBe(keys[1])
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Close' }).last().click()

  await expect(waits).toContainText('Satisfied')
  const answers = page.getByRole('table', { name: 'Answers and their delivery' })
  await expect(answers).toContainText('Delivered')
  await expect(answers).toContainText('Applied')
  await expectAccessible(page)
  await page.getByRole('navigation', { name: 'Views of the execution' }).getByRole('link', { name: 'Inputs' }).click()
  const inbox = page.getByRole('table', { name: 'Input events' })
  await expect(inbox.locator('tbody tr')).toHaveCount(1)
  for (const words of ['Accepted', 'Matched', 'Delivered', 'Applied', 'Omar Haddad'])
    await expect(inbox).toContainText(words)
  await expectAccessible(page)
})

test('a wait is canceled by keyboard with a reason, and the execution shows it', async ({ page, origin }) => {
  const { executionId } = await waitingInput(origin)
  await signIn(page, 'omar')
  await page.goto(`/t/${externalId()}/executions/${executionId}?tab=waits`)
  const cancel = page.getByRole('button', { name: 'Cancel the wait' })
  await cancel.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Cancel the wait for manager_confirmation?' })
  await expect(dialog).toContainText('A closed wait can’t be reopened.')
  await expect(dialog.getByText('Enter a reason.')).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(cancel).toBeFocused()
  await page.keyboard.press('Enter')
  await dialog.getByLabel('Reason').fill('The order was returned.')
  await dialog.getByRole('button', { name: 'Cancel the wait' }).click()
  await expect(page.getByRole('region', { name: 'Waits' })).toContainText('Canceled')
  await expect(page.getByRole('button', { name: 'Cancel the wait' })).toHaveCount(0)
  await page.goto(`/t/${externalId()}/executions/${executionId}`)
  await expect(page.getByRole('alert', { name: 'The execution was canceled.' })).toBeVisible()
  await expectAccessible(page)
})

test('canceling an execution that waits for approval records a reason and two times, and withdraws the request', async ({
  page,
  origin,
}) => {
  const { executionId, approvalId } = await waitingRefund(origin)
  await signIn(page, 'omar')
  await page.goto(`/t/${externalId()}/executions/${executionId}`)
  await page.getByRole('button', { name: 'Cancel the execution' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel this execution?' })
  await expect(dialog).toContainText('The approval request is withdrawn, and the call is not made.')
  await dialog.getByLabel('Reason').fill('Asked for by mistake.')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Cancel the execution' }).click()
  await expect(page.getByRole('alert', { name: 'The execution was canceled.' })).toContainText('Asked for by mistake.')
  const times = page.getByRole('region', { name: 'Times' })
  await expect(times).toContainText('Stop requested')
  await expect(times).toContainText('Confirmed')
  await expect(page.getByRole('button', { name: 'Cancel the execution' })).toHaveCount(0)
  await expectAccessible(page)
  const jonas = await personToken(origin, 'jonas')
  expect(await call(origin, jonas, 'query', 'approvals.get', { approvalId })).toMatchObject({ status: 'canceled' })
})

test('a stop during a refund can’t be confirmed, and the page shows the outcome as unknown', async ({
  page,
  origin,
}) => {
  const gate = hold('issue_refund')
  try {
    const { executionId, approvalId } = await waitingRefund(origin)
    await decideAs(origin, 'jonas', approvalId, 'approve', 'Order checked.')
    await expect.poll(() => wasCalled(`${executionId}:refund`)).toBe(true)
    const omar = await personToken(origin, 'omar')
    // The execution continues between the two calls.
    await expect(async () => {
      const { revision } = await call<{ revision: number }>(origin, omar, 'query', 'executions.get', {
        id: executionId,
      })
      const cancel = { id: executionId, expectedRevision: revision, reason: 'The order was withdrawn.' }
      await call(origin, omar, 'mutation', 'executions.cancel', cancel)
    }).toPass({ timeout: 30_000 })
    await signIn(page, 'omar')
    await page.goto(`/t/${externalId()}/executions/${executionId}`)
    const panel = page.getByRole('alert', { name: 'It is unknown whether the last call took effect.' })
    await expect(panel).toContainText('It was not repeated, because repeating it could do it twice.')
    const times = page.getByRole('region', { name: 'Times' })
    await expect(times).toContainText('Stop requested')
    await expect(times).toContainText('Can’t be confirmed')
    await expect(page.getByRole('button', { name: 'Cancel the execution' })).toHaveCount(0)
    await expectAccessible(page)
  } finally {
    gate.open()
  }
})

test('a person who may send input but not read it is shown so, and records require their permission', async ({
  page,
  origin,
}) => {
  const { executionId } = await waitingInput(origin)
  await signIn(page, 'maria')
  const path = `/t/${externalId()}/executions/${executionId}`
  await page.goto(`${path}?tab=waits`)
  await expect(page.getByText('You don’t have permission to see waits and their answers.')).toBeVisible()
  const asked = page.getByRole('region', { name: 'Requested inputs' })
  await expect(asked.getByRole('button', { name: 'Send manager_confirmation' })).toBeVisible()
  await expectAccessible(page)
  await page.goto(`${path}?tab=inputs`)
  await expect(page.getByText('You don’t have permission to see the input events of executions.')).toBeVisible()
  await expectAccessible(page)
  await page.goto(`${path}?tab=evidence`)
  await expect(page.getByText('You don’t have permission to see the audit log.')).toBeVisible()
  await expectAccessible(page)
})

test('the auditor finds the execution’s records', async ({ page, origin }) => {
  const { executionId } = await waitingRefund(origin)
  await signIn(page, 'vera')
  await page.goto(`/t/${externalId()}/executions/${executionId}?tab=evidence`)
  const records = page.getByRole('table', { name: 'Audit records about the execution' })
  await expect(records).toContainText('execution.running')
  await expectAccessible(page)
  await records.getByRole('link').first().click()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
})

async function refundAgent(origin: string): Promise<string> {
  const token = await personToken(origin, 'maria')
  const agents = await call<{ items: { id: string; name: string }[] }>(origin, token, 'query', 'agents.list', {
    limit: 200,
  })
  return agents.items.find(({ name }) => name === 'refund-assistant')?.id ?? ''
}
