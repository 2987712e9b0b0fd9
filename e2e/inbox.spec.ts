import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { call, decideAs, home, personToken, waitingRefund } from './cases.ts'
import { expectEveryView } from './every-view.ts'
import { expect, expectAccessible, test } from './fixtures.ts'
import { releasedAgent, startAs } from './own-agent.ts'

/** A flow whose refund needs an approval, and whose risk is stated as low. */
const smallRefunds = (name: string): string => `metadata:
  name: ${name}
spec:
  risk: { tier: low }
  runtime:
    steps:
      - { id: order, tool: { server: payments, name: lookup_order, arguments: { id: "\${input.orderId}" } } }
      - id: refund
        tool:
          server: payments
          name: issue_refund
          arguments: { id: "\${input.claim}", amount: "\${input.amount}", currency: EUR }
  tools:
    - mcp: { server: payments }
      allow: [lookup_order, issue_refund]
      requireApproval: [issue_refund]
  governance:
    approvals: { group: refund-approvers, quorum: 1, expiresAfter: P7D }
  approvalCard:
    title: "Claim \${input.claim}"
    facts:
      - { label: Customer, value: "\${steps.order.output.customer.name}" }
`

type Listed = { approvalId: string; agentName: string | null; status: string; reason: string | null }

const listed = async (origin: string, agentName: string, operation: string, view: string): Promise<Listed[]> => {
  const token = await personToken(origin, 'jonas')
  const { items } = await call<{ items: Listed[] }>(origin, token, 'query', operation, { view, limit: 100 })
  return items.filter((item) => item.agentName === agentName)
}

/** Starts one execution for each claim, and waits for their requests. No other test refunds these claims. */
async function smallRequests(origin: string, name: string, refunds: Record<string, string>): Promise<void> {
  const agentId = await releasedAgent(origin, smallRefunds(name))
  for (const [claim, amount] of Object.entries(refunds))
    await startAs(origin, agentId, { orderId: 'A-1001', claim, amount })
  const count = Object.keys(refunds).length
  await expect.poll(async () => (await listed(origin, name, 'approvals.getPending', 'all')).length).toBe(count)
}

const rows = (page: Page) => page.locator('tr:has(th[scope="row"])')
const bar = (page: Page) => page.getByRole('region', { name: 'Selected requests' })
const focusedTitle = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '')

test('Jonas finds three small refunds among the others, and approves them by keyboard', async ({
  signedIn,
  origin,
}) => {
  const name = 'small-refunds'
  await smallRequests(origin, name, { 'S-1001': '10.11', 'S-1002': '12.13', 'S-1003': '14.15' })
  await waitingRefund(origin)
  const page = await signedIn('jonas')
  await page.goto(`${home()}/approvals`)
  await page.getByRole('combobox', { name: 'Agent' }).selectOption(name)
  await expect(rows(page)).toHaveCount(3)
  await expect(page).toHaveURL(/agent=small-refunds/)
  await page.getByRole('searchbox').fill('claim s-1002')
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page)).toContainText('Claim S-1002')
  await page.getByRole('searchbox').fill('')
  await expect(rows(page)).toHaveCount(3)
  await expectAccessible(page)

  await page.getByRole('heading', { level: 1 }).click()
  const seen: string[] = []
  for (const key of ['j', 'x', 'j', 'j', 'Shift+X']) {
    await page.keyboard.press(key)
    seen.push(await focusedTitle(page))
  }
  expect(new Set(seen).size).toBe(3)
  await expect(bar(page)).toContainText('3 selected')
  await expectAccessible(page)
  await page.keyboard.press('a')
  const dialog = page.getByRole('dialog', { name: 'Approve 3 requests' })
  const items = dialog.getByRole('list', { name: 'Requests' }).getByRole('listitem')
  await expect(items).toHaveCount(3)
  await expect(items.first()).toContainText(/Claim S-100\d/)
  // A text, as on the page of the request.
  await expect(items.first()).toContainText(/"1\d\.1\d"/)
  const send = dialog.getByRole('button', { name: 'Approve 3 requests (€36.39 in total)' })
  await expect(send).toHaveAttribute('aria-disabled', 'true')
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Small amounts, all within the policy.')
  await dialog.getByRole('checkbox', { name: /I have read each request/ }).check()
  await expectAccessible(page)
  await send.click()
  await expect(dialog).toContainText('3 requests approved.')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await expect(page.getByText('No requests match these filters.')).toBeVisible()

  const decided = await listed(origin, name, 'approvals.list', 'decided')
  const small = decided.filter(({ reason }) => reason === 'Small amounts, all within the policy.')
  expect(small.map(({ status }) => status)).toEqual(['approved', 'approved', 'approved'])
})

test('requests of high risk are rejected together, but not approved', async ({ signedIn, origin, troubles }) => {
  troubles.expect(/status of 409/)
  const cases = [await waitingRefund(origin, { orderId: 'A-1002' }), await waitingRefund(origin, { orderId: 'A-1003' })]
  const page = await signedIn('jonas')
  await page.goto(`${home()}/approvals?risk=high&sort=newest`)
  for (const { approvalId } of cases)
    await rows(page)
      .filter({ has: page.locator(`[data-row="${approvalId}"]`) })
      .getByRole('checkbox')
      .check()
  await expect(bar(page)).toContainText('2 selected')
  await expect(bar(page)).toContainText('Only requests of low risk can be approved together.')
  const reads = Promise.withResolvers<void>()
  await page.route(/\/v1\/[^?]*approvals\.get\b/, async (route) => {
    await reads.promise
    await route.continue()
  })
  await bar(page)
    .getByRole('button', { name: /^Reject 2…/ })
    .click()
  const dialog = page.getByRole('dialog', { name: 'Reject 2 requests' })
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Both customers withdrew their claims.')
  // Requests that are not on the page yet can't have been read.
  const read = dialog.getByRole('checkbox', { name: 'I have read each request and reject the 2 requests.' })
  await expect(read).toHaveAttribute('aria-disabled', 'true')
  await read.click({ force: true })
  await expect(read).not.toBeChecked()
  await expect(dialog.getByRole('button', { name: /^Reject 2 requests/ })).toHaveAttribute('aria-disabled', 'true')
  await expect(dialog).toContainText('Loading the requests…')
  reads.resolve()
  await expect(dialog.getByRole('list', { name: 'Requests' }).getByRole('listitem')).toHaveCount(2)
  await dialog.getByRole('checkbox', { name: /I have read each request/ }).check()
  // Another reviewer decides the first one before these decisions are sent.
  const token = await personToken(origin, 'jonas')
  const [first] = cases
  const input = {
    approvalId: first?.approvalId,
    decision: 'reject',
    reason: 'Decided elsewhere.',
    decisionAcknowledged: true,
  }
  await call(origin, token, 'mutation', 'approvals.decide', input)
  await dialog.getByRole('button', { name: /^Reject 2 requests/ }).click()
  await expect(dialog).toContainText('1 request rejected. 1 request refused.')
})

test('of two refunds for one object that are approved together, the second is left out', async ({
  signedIn,
  origin,
}) => {
  const name = 'same-object-refunds'
  const agentId = await releasedAgent(origin, smallRefunds(name))
  for (const amount of ['10.50', '25.50'])
    await startAs(origin, agentId, { orderId: 'A-1001', claim: 'O-1001', amount })
  await expect.poll(async () => (await listed(origin, name, 'approvals.getPending', 'all')).length).toBe(2)
  const page = await signedIn('jonas')
  await page.goto(`${home()}/approvals?agent=${name}`)
  for (const row of [0, 1]) await rows(page).nth(row).getByRole('checkbox').check()
  await bar(page)
    .getByRole('button', { name: /^Approve 2…/ })
    .click()
  const dialog = page.getByRole('dialog', { name: 'Approve 2 requests' })
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Small amounts, all within the policy.')
  await dialog.getByRole('checkbox', { name: /I have read each request/ }).check()
  await dialog.getByRole('button', { name: /^Approve 2 requests/ }).click()
  await expect(dialog).toContainText('1 request approved. 1 request refused.')
  await expect(dialog.getByRole('listitem').last()).toContainText(/approved for this object before/)
  expect(await listed(origin, name, 'approvals.getPending', 'all')).toHaveLength(1)
})

test('the inbox compares each amount with what is usually approved', async ({ signedIn, origin }) => {
  const name = 'usual-refunds'
  await smallRequests(origin, name, { 'U-1001': '20', 'U-1002': '21', 'U-1003': '22', 'U-1004': '23', 'U-1005': '24' })
  for (const { approvalId } of await listed(origin, name, 'approvals.getPending', 'all'))
    await decideAs(origin, 'jonas', approvalId, 'approve', 'Checked against the claim.')
  await waitingRefund(origin)
  const page = await signedIn('jonas')
  await page.goto(`${home()}/approvals?risk=high&sort=newest`)
  await expect(page.getByRole('columnheader', { name: 'Against usual' })).toBeVisible()
  await expect(
    rows(page)
      .first()
      .getByRole('img', { name: /Usual: €[\d.,]+ to €[\d.,]+\./ }),
  ).toBeVisible()
  await expectEveryView(page, 'inbox-against-usual')
})

test('columns and density are chosen in the address, remembered in this browser, and saved with a view', async ({
  signedIn,
  origin,
}) => {
  await waitingRefund(origin)
  const page = await signedIn('jonas')
  const chooser = page.locator('summary', { hasText: 'Columns and density' })
  const header = (name: string) => page.getByRole('columnheader', { name, exact: true })
  const spacing = () =>
    rows(page)
      .first()
      .getByRole('rowheader')
      .evaluate((cell) => Number.parseFloat(getComputedStyle(cell).paddingTop))
  await page.goto(`${home()}/approvals?view=all`)
  await expect(header('Agent')).toBeVisible()
  // Hidden until someone wants it: most reviewers are in one group.
  await expect(header('Waiting for')).toHaveCount(0)
  const compact = await spacing()
  await chooser.click()
  await page.getByRole('combobox', { name: 'Density' }).selectOption('Comfortable')
  await expect.poll(spacing).toBeGreaterThan(compact)
  await page.getByRole('checkbox', { name: 'Agent', exact: true }).uncheck()
  await page.getByRole('checkbox', { name: 'Waiting for', exact: true }).check()
  await expect(header('Waiting for')).toBeVisible()
  await page.getByRole('checkbox', { name: 'Waiting for', exact: true }).uncheck()
  await expect(page).toHaveURL(/hide=agent%2Cgroup&density=comfortable/)
  await expect(header('Agent')).toHaveCount(0)
  await expect(header('Waiting for')).toHaveCount(0)
  await expectEveryView(page, 'inbox-columns')

  // Another visit without an address, and an address of another person.
  await page.goto(`${home()}/approvals?view=all`)
  await expect(header('Requested by')).toBeVisible()
  await expect(header('Agent')).toHaveCount(0)
  await page.goto(`${home()}/approvals?view=all&hide=requester`)
  await expect(header('Agent')).toBeVisible()
  await expect(header('Requested by')).toHaveCount(0)

  await page.getByRole('button', { name: 'Save this view…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save this view' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Without people')
  await dialog.getByRole('button', { name: 'Save the view' }).click()
  await page.goto(`${home()}/approvals?view=all`)
  await page.getByRole('link', { name: /^Without people/ }).click()
  await expect(header('Requested by')).toHaveCount(0)
  await page.getByRole('button', { name: 'Remove this view…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove the view' }).click()

  await chooser.click()
  await page.getByRole('checkbox', { name: 'Requested by', exact: true }).check()
  await page.getByRole('combobox', { name: 'Density' }).selectOption('Compact')
  await expect(page).toHaveURL(/hide=none&density=compact/)
  await page.goto(`${home()}/approvals?view=all`)
  await expect(header('Waiting for')).toBeVisible()
})

test('the title of the tab counts what waits for the reader, on every page, as it changes', async ({
  signedIn,
  origin,
}) => {
  const refund = await waitingRefund(origin)
  const page = await signedIn('jonas')
  await page.goto(`${home()}/executions`)
  const token = await personToken(origin, 'jonas')
  const waiting = async () => {
    const input = { view: 'needs-me', limit: 100 }
    return (await call<{ items: unknown[] }>(origin, token, 'query', 'approvals.getPending', input)).items.length
  }
  const count = async () => {
    const found = /^\((\d+)\+?\) Executions · Countersign$/.exec(await page.title())
    return Number(found?.[1] ?? 0)
  }
  // The title says "99+" for more.
  const isRight = async () => (await count()) === Math.min(99, await waiting())
  await expect.poll(count).toBeGreaterThan(0)
  await expect.poll(isRight).toBe(true)
  const before = await waiting()
  await decideAs(origin, 'anna', refund.approvalId, 'reject', 'Not covered by the contract.')
  await expect.poll(waiting).toBeLessThan(before)
  await expect.poll(isRight).toBe(true)
})

test('the decided list is saved as CSV', async ({ signedIn, origin }) => {
  const refund = await waitingRefund(origin)
  const token = await personToken(origin, 'jonas')
  const reason = 'Checked, "twice"; =1+1'
  const decision = { approvalId: refund.approvalId, decision: 'reject', reason, decisionAcknowledged: true }
  await call(origin, token, 'mutation', 'approvals.decide', decision)
  const page = await signedIn('jonas')
  await page.goto(`${home()}/approvals?view=decided`)
  await expect(rows(page).first()).toContainText('Checked, "twice"')
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download CSV' }).click()
  const text = await readFile(await (await saved).path(), 'utf8')
  expect(text).toMatch(/^\uFEFFapprovalId,/)
  const line = text.split('\r\n').find((one) => one.startsWith(refund.approvalId))
  expect(line).toContain('"Checked, ""twice""; =1+1"')
  expect(line).toContain(',rejected,')
})

test('on a phone the filters fold, and every request is a block', async ({ signedIn, origin }) => {
  await waitingRefund(origin)
  const page = await signedIn('jonas')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`${home()}/approvals`)
  await expect(rows(page).first()).toBeVisible()
  await expect(page.getByRole('searchbox')).toBeHidden()
  await page.getByRole('button', { name: 'Filter' }).click()
  await expect(page.getByRole('searchbox')).toBeVisible()
  await expectAccessible(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
})

test('an auditor sees above the decided requests how each group decides', async ({ signedIn, origin }) => {
  const { approvalId } = await waitingRefund(origin)
  const decision = { approvalId, decision: 'reject', reason: 'Withdrawn by the customer.', decisionAcknowledged: true }
  await call(origin, await personToken(origin, 'jonas'), 'mutation', 'approvals.decide', decision)
  const page = await signedIn('vera')
  await page.goto(`${home()}/approvals?view=decided`)
  const table = page.getByRole('table', { name: 'How groups decide' })
  await expect(table.getByRole('row', { name: /Refund approvers/ })).toContainText('Jonas Berg')
  await expectEveryView(page, 'oversight')
})
