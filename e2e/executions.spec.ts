import { readFile } from 'node:fs/promises'
import { call, clientToken, decideAs, externalId, home, personToken, waitingInput, waitingRefund } from './cases.ts'
import { expectEveryView } from './every-view.ts'
import { expect, expectAccessible, test } from './fixtures.ts'
import { releasedAgent } from './own-agent.ts'

test('a refund that Maria starts in the console waits for a person', async ({ signedIn }) => {
  const page = await signedIn('maria')
  await page.goto(home())
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Executions' }).click()
  await expect(page).toHaveTitle(/^(\(\d+\) )?Executions · Countersign$/)
  await expect(page.getByRole('table', { name: 'Executions' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Start an execution' }).click()
  await expect(page).toHaveTitle(/^(\(\d+\) )?Start an execution · Countersign$/)
  await page.getByLabel('Agent').selectOption({ label: 'Refund assistant (refund-assistant)' })
  await page.getByRole('radio', { name: 'production' }).check()

  // The fields are what the manifest refers to.
  const start = page.getByRole('button', { name: 'Start Refund assistant…' })
  await start.click()
  const order = page.getByRole('textbox', { name: 'Order id' })
  await expect(order).toHaveAccessibleDescription('Required.')
  await expect(order).toBeFocused()
  await expectEveryView(page, 'executions-start')
  await page.getByRole('button', { name: 'Enter it as JSON' }).click()
  const input = page.getByRole('textbox', { name: 'Input as JSON' })
  await input.fill('{\n  "orderId" "A-1002"\n}')
  await expect(page.getByText('Line 2, column 13: A colon must follow the name.')).toBeVisible()
  await expectAccessible(page)
  await input.fill('{ "orderId": "A-1002" }')
  await page.getByRole('button', { name: 'Enter it in fields' }).click()
  await expect(order).toHaveValue('A-1002')
  await start.click()
  const confirmation = page.getByRole('dialog', { name: 'Start Refund assistant in production?' })
  await expect(confirmation).toContainText('Version 1.4.0 runs with this input.')
  await expect(confirmation).toContainText('A-1002')
  await expectEveryView(page, 'executions-confirm')
  await confirmation.getByRole('button', { name: 'Start Refund assistant in production' }).click()

  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Issue refund of €[\d.,]+ for A-1002$/)
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
  await expect(journal.getByRole('list', { name: 'Votes' })).toContainText('Approved by Jonas Berg: Order checked.')
  await expect(journal).toContainText('payments.issue_refund was called')
  await expectEveryView(page, 'executions-page')

  // The input can be used again.
  await page.goto(`/t/${externalId()}/executions/new`)
  await page.getByLabel('Agent').selectOption({ label: 'Refund assistant (refund-assistant)' })
  await page.getByRole('radio', { name: 'production' }).check()
  await page.getByText('Use an earlier input').click()
  await page.getByRole('list', { name: 'Earlier inputs' }).getByRole('button').first().click()
  await expect(order).toHaveValue(/^A-\d+$/)
})

test('the page of a rejected execution states the rejection', async ({ signedIn, origin }) => {
  const { executionId, approvalId } = await waitingRefund(origin)
  await decideAs(origin, 'jonas', approvalId, 'reject', 'Not this one.')
  const page = await signedIn('maria')
  await page.goto(`/t/${externalId()}/executions/${executionId}`)
  const panel = page.getByRole('alert', { name: 'A reviewer rejected the call, so the execution stopped.' })
  await expect(panel).toContainText('The tool was not called. One tool call was completed earlier.')
  await expectAccessible(page)
})

test('an environment that no policy governs is refused, and the page says what to do', async ({
  signedIn,
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
  const page = await signedIn('maria')
  await page.goto(`/t/${externalId()}/executions/new?agentId=${agentId}`)
  await page.getByRole('radio', { name: environment }).check()
  await page.getByRole('textbox', { name: 'Order id' }).fill('A-1003')
  await page.getByRole('button', { name: 'Start Refund assistant' }).click()
  const panel = page.getByRole('alert', { name: 'The execution was not started.' })
  await expect(panel).toContainText(`No approved policy binding governs refund-assistant in ${environment}.`)
  await expect(panel).toContainText('Propose a policy binding')
  await expect(panel.getByRole('link', { name: 'Open Refund assistant' })).toBeVisible()
  await expectAccessible(page)
})

test('starting an execution whose first call is denied reports it and links to the records', async ({
  signedIn,
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
  const page = await signedIn('maria')
  await page.goto(`/t/${externalId()}/executions/new?agentId=${agentId}`)
  await page.getByRole('textbox', { name: 'Amount' }).fill('20000.00')
  await page.getByRole('button', { name: `Start ${name}…` }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: `Start ${name} in production` })
    .click()
  const panel = page.getByRole('alert', { name: 'The first call of the execution was denied.' })
  await expect(panel).toContainText("A refund above 10,000.00 is not the assistant's to make.")
  await expect(panel).toContainText('Nothing ran. The attempt is recorded in the audit log.')
  await expectAccessible(page)
  await panel.getByRole('link', { name: 'Open the denied execution' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`${name} in production`)
  await expect(page.getByRole('region', { name: 'Journal' })).toContainText('denied')
})

test('without the permission the pages name the roles that have it, and another tenant’s id is not found', async ({
  signedIn,
  troubles,
}) => {
  troubles.expect(/status of 404/)
  const page = await signedIn('pia')
  await page.goto(`/t/${externalId()}/executions`)
  await expect(page.getByText('You don’t have permission to see executions.')).toBeVisible()
  await expect(page.getByText(/^Only a viewer, a developer, an operator/)).toBeVisible()
  await expectAccessible(page)
  await page.goto(`/t/${externalId()}/traces/${'0'.repeat(31)}1`)
  await expect(page.getByText('The trace can’t be found.')).toBeVisible({ timeout: 20_000 })
})

test('the list is filtered by state and agent, and the address keeps the filters', async ({ signedIn, origin }) => {
  const { executionId, agentId } = await waitingInput(origin)
  const page = await signedIn('omar')
  await page.goto(`/t/${externalId()}/executions`)
  const table = page.getByRole('table', { name: 'Executions' })
  await expect(table).toBeVisible()
  await page.getByLabel('State').selectOption({ label: 'Waiting for input' })
  await expect(page).toHaveURL(/\?status=waiting_input$/)
  await expect(table.locator(`a[href$="${executionId}"]`)).toBeVisible()
  await expect(table.locator('tbody tr').filter({ hasNotText: 'Waiting for input' })).toHaveCount(0)
  await page.getByLabel('Agent').selectOption({ label: 'Refund assistant' })
  await expect(page).toHaveURL(new RegExp(`status=waiting_input&agentId=${agentId}$`))
  await expectEveryView(page, 'executions-list')
  await page.reload()
  await expect(page.getByLabel('State')).toHaveValue('waiting_input')
  await expect(table.locator(`a[href$="${executionId}"]`)).toBeVisible()
  await page.getByLabel('State').selectOption({ label: 'Timed out' })
  await expect(page.getByText('No executions match these filters.')).toBeVisible()
  await expectAccessible(page)
})

test('executions are ordered by amount, and their filters are saved under a name', async ({ signedIn, origin }) => {
  await waitingRefund(origin, { orderId: 'A-1003' })
  await waitingRefund(origin, { orderId: 'A-1001' })
  const page = await signedIn('omar')
  await page.goto(`/t/${externalId()}/executions`)
  await page.getByLabel('Order').selectOption('Largest amount first')
  await expect(page).toHaveURL(/sort=amount$/)
  const rows = page.getByRole('table', { name: 'Executions' }).locator('tbody tr')
  const amounts = async () =>
    (await rows.allTextContents()).flatMap((text) => {
      const [, amount] = /€([\d,]+\.\d\d)/.exec(text) ?? []
      return amount === undefined ? [] : [Number(amount.replaceAll(',', ''))]
    })
  await expect(async () => {
    const shown = await amounts()
    expect(new Set(shown).size).toBeGreaterThan(1)
    expect(shown).toEqual(shown.toSorted((one, other) => other - one))
  }).toPass()
  const name = `Large ${Date.now()}`
  await page.getByRole('button', { name: 'Save this view…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save this view' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
  await dialog.getByRole('button', { name: 'Save the view' }).click()
  const view = page.getByRole('link', { name })
  await expect(view).toHaveAttribute('aria-current', 'true')
  await page.getByLabel('Order').selectOption('Newest first')
  await expect(view).not.toHaveAttribute('aria-current', 'true')
  await view.click()
  await expect(page).toHaveURL(/sort=amount$/)
  await expectEveryView(page, 'executions-by-amount')
  await page.getByRole('button', { name: 'Remove this view…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove the view' }).click()
  await expect(view).toHaveCount(0)
})

test('an execution that runs says for how long, and its page names the agent as people do', async ({
  signedIn,
  origin,
}) => {
  const { executionId } = await waitingRefund(origin)
  const page = await signedIn('maria')
  await page.goto(`/t/${externalId()}/executions/${executionId}`)
  await expect(page.getByText(/^Running for \d/)).toBeVisible()
  await expect(page.getByText(/^Took/)).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Refund assistant', exact: true })).toBeVisible()
})

test('executions are found by words, and the list is saved as a file', async ({ signedIn, origin }) => {
  const { executionId } = await waitingRefund(origin)
  const page = await signedIn('omar')
  await page.goto(`/t/${externalId()}/executions?sort=oldest`)
  const table = page.getByRole('table', { name: 'Executions' })
  await page.getByRole('searchbox', { name: 'Search', exact: true }).fill('issue refund')
  await expect(page).toHaveURL(/q=issue\+refund&sort=oldest$/)
  await expect(table.locator('tbody tr').filter({ hasNotText: 'Issue refund' })).toHaveCount(0)
  await page.getByRole('searchbox').fill(executionId)
  await expect(table.locator('tbody tr')).toHaveCount(1)
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download CSV' }).click()
  const text = await readFile(await (await downloading).path(), 'utf8')
  // Excel needs it, to read the file as UTF-8.
  expect(text).toMatch(/^\uFEFFid,/)
  expect(text.split('\r\n')).toHaveLength(3)
  expect(text).toContain(executionId)
  expect(text).toMatch(/Issue refund of €[\d.,"]+ for A-\d+/)
})

test('several executions are canceled together, and a lost answer is shown as unknown', async ({
  signedIn,
  origin,
  troubles,
}) => {
  troubles.expect(/net::ERR_FAILED/)
  troubles.expect(/status of 409/)
  const refunds = [await waitingRefund(origin), await waitingRefund(origin), await waitingRefund(origin)]
  const [lost, ended, kept] = refunds.map(({ executionId }) => executionId)
  const page = await signedIn('omar')
  await page.goto(`/t/${externalId()}/executions?status=waiting_approval`)
  const rowOf = (id: string | undefined) => page.getByRole('row').filter({ has: page.locator(`[data-row="${id}"]`) })
  for (const { executionId } of refunds) await rowOf(executionId).getByRole('checkbox').check()
  const bar = page.getByRole('region', { name: 'Selected executions' })
  await expect(bar).toContainText('3 selected')
  await bar.getByRole('button', { name: 'Cancel 3…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel 3 executions?' })
  await expect(dialog.getByRole('list', { name: 'Executions' }).getByRole('listitem')).toHaveCount(3)
  await expect(dialog.getByText('Enter a reason.')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Asked for twice.')
  await dialog.getByRole('checkbox').check()
  await expectEveryView(page, 'executions-cancel')
  // One is canceled by someone else, and the answer about another one is lost after the server has recorded it.
  const token = await personToken(origin, 'omar')
  const { revision } = await call<{ revision: number }>(origin, token, 'query', 'executions.get', { id: ended })
  const elsewhere = { id: ended, expectedRevision: revision, reason: 'Canceled elsewhere.' }
  await call(origin, token, 'mutation', 'executions.cancel', elsewhere)
  await page.route('**/executions.cancel*', async (route) => {
    if (!(route.request().postData() ?? '').includes(lost ?? '')) return await route.continue()
    await route.fetch()
    await route.abort()
  })
  await dialog.getByRole('button', { name: 'Cancel 3 executions' }).click()
  await expect(dialog.getByRole('status')).toHaveText(
    /^1 execution asked to stop\. 1 execution refused\. The outcome of 1 execution is unknown: open each to see/,
  )
  await expect(dialog).toContainText('The execution has already ended')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.goto(`/t/${externalId()}/executions/${lost}`)
  await expect(page.getByRole('alert', { name: 'The execution was canceled.' })).toContainText('Asked for twice.')
  const after = await call<{ status: string }>(origin, token, 'query', 'executions.get', { id: kept })
  expect(after).toMatchObject({ status: 'canceled' })
})

test('the auditor finds the execution’s records', async ({ signedIn, origin }) => {
  const { executionId } = await waitingRefund(origin)
  const page = await signedIn('vera')
  await page.goto(`/t/${externalId()}/executions/${executionId}?tab=evidence`)
  const records = page.getByRole('table', { name: 'Audit records about the execution' })
  await expect(records).toContainText(/began (the execution|an execution|the Refund assistant)/i)
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
