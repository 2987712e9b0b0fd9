import type { Page } from '@playwright/test'
import { call, clientToken, decideAs, externalId, personToken, type RefundCase, waitingRefund } from './cases.ts'
import { expect, test } from './fixtures.ts'
import { demoPolicy, environment, readerManifest, releasedAgent } from './own-agent.ts'

// Changes by others appear at once, over the page's one socket. Without the socket, the page polls. `npm run bench` measures how long
// a change takes, with the goal of a second.

/** From the commit to the screen, on a busy machine. Nothing polls while the socket is open. */
const soon = { timeout: 15_000 }

const row = (page: Page, { approvalId }: RefundCase) => page.locator(`main a[href*="${approvalId}"]`)
const badge = (page: Page) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Approvals( \d+.*)?$/ })
const open = (page: Page, path: string) => page.goto(`/t/${externalId()}/${path}`)

test('without polling, a decision appears to another person on all lists, the inbox count and the execution', async ({
  signedIn,
  origin,
}) => {
  const [first, second] = [await waitingRefund(origin), await waitingRefund(origin)]
  const page = await signedIn('anna')
  await open(page, 'approvals')
  await expect(row(page, first)).toBeVisible()
  const before = await badge(page).innerText()
  const execution = await signedIn('maria')
  await open(execution, `executions/${first.executionId}`)
  await expect(execution.getByRole('region', { name: 'Steps' })).toContainText('Waiting for approval')
  const executions = await signedIn('omar')
  await open(executions, 'executions?status=under-way')
  const listed = executions.locator(`main a[href*="${first.executionId}"]`)
  await expect(listed.first()).toBeVisible()

  await decideAs(origin, 'jonas', first.approvalId, 'reject', 'Not this one.')
  await Promise.all([
    expect(row(page, first)).toBeHidden(soon),
    expect(badge(page)).not.toHaveText(before, soon),
    expect(execution.getByRole('alert', { name: /A reviewer rejected the call/ })).toBeVisible(soon),
    expect(listed).toHaveCount(0, soon),
  ])
  await expect(row(page, second)).toBeVisible()
})

test('a reviewer who is writing sees that another reviewer decided, and keeps the draft', async ({
  signedIn,
  origin,
}) => {
  const refund = await waitingRefund(origin)
  const page = await signedIn('anna')
  await open(page, `approvals/${refund.approvalId}`)
  await page.getByRole('radio', { name: 'Approve' }).check()
  const reason = page.getByRole('textbox', { name: 'Reason' })
  await reason.fill('Order and amount checked against the claim.')
  await decideAs(origin, 'jonas', refund.approvalId, 'reject', 'Not this one.')
  await expect(page.getByRole('region', { name: /^(?:Decided?|Expired)$/ })).toContainText('Jonas', soon)
  await expect(reason).toHaveValue('Order and amount checked against the claim.')
})

test('what a colleague suspends or withdraws is so on open pages, which offer it no longer', async ({
  signedIn,
  origin,
}) => {
  const agentId = await releasedAgent(origin, readerManifest(`e2e-live-${Date.now()}`))
  const maria = await personToken(origin, 'maria')
  const { approvalId } = await call<{ approvalId: string }>(origin, maria, 'mutation', 'policyBindings.propose', {
    agentId,
    environment,
    policyId: await demoPolicy(origin),
    policyVersion: 1,
    mode: 'shadow',
  })
  const request = await signedIn('anna')
  await open(request, `approvals/${approvalId}`)
  const agent = await signedIn('omar')
  await open(agent, `agents/${agentId}`)
  await expect(agent.getByRole('main')).toContainText('Proposed')
  const suspend = agent.getByRole('button', { name: 'Suspend the agent' })
  await expect(suspend).toBeVisible()
  await expect(request.getByRole('radio', { name: 'Approve' })).toBeVisible()

  type Revised = { id: string; status: string; revision: number }
  const { items } = await call<{ items: Revised[] }>(origin, maria, 'query', 'policyBindings.list', { agentId })
  for (const { id, revision } of items.filter(({ status }) => status === 'proposed'))
    await call(origin, maria, 'mutation', 'policyBindings.withdraw', {
      id,
      expectedRevision: revision,
      reason: 'Not needed.',
    })
  await expect(request.getByRole('heading', { level: 1 })).toContainText('Canceled', soon)
  await expect(agent.getByRole('main')).toContainText('Withdrawn', soon)

  // An open dialog stays what it was, with its draft.
  await suspend.click()
  const dialog = agent.getByRole('dialog')
  await dialog.getByRole('textbox').fill('It repeats the same call.')
  const omar = await personToken(origin, 'omar')
  const { revision } = await call<Revised>(origin, omar, 'query', 'agents.get', { id: agentId })
  await call(origin, omar, 'mutation', 'agents.suspend', {
    id: agentId,
    expectedRevision: revision,
    reason: 'Only to be tried out.',
  })
  await expect(dialog).toContainText('This is no longer possible.', soon)
  await expect(dialog.getByRole('heading')).toContainText('Suspend')
  await expect(dialog.getByRole('textbox')).toHaveValue('It repeats the same call.')
  await dialog.getByRole('button', { name: 'Keep the current state' }).click()
  await expect(agent.getByRole('button', { name: 'Resume the agent' })).toBeVisible()
})

test('a version that a colleague publishes does not take the place of the one that is read', async ({
  signedIn,
  origin,
}) => {
  const maria = await personToken(origin, 'maria')
  const post = async (path: string, body: object): Promise<{ id: string }> => {
    const headers = { authorization: `Bearer ${maria}`, 'content-type': 'application/json' }
    const response = await fetch(`${origin}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(response.ok).toBe(true)
    return (await response.json()) as { id: string }
  }
  const { id: policyId } = await post('/v1/policies', { name: `e2e-read-${Date.now()}` })
  const versions = `/v1/policies/${policyId}/versions`
  const publish = async (version: number) => {
    await post(versions, {
      source: `@id("version-${version}") permit (principal, action in Countersign::Action::"ToolCall", resource);`,
    })
    await post(`${versions}/${version}/publish`, {})
  }
  await publish(1)
  const page = await signedIn('maria')
  await open(page, `policies/${policyId}`)
  await page.getByRole('button', { name: 'Propose to bind version 1' }).click()
  await publish(2)
  await expect(page.getByText('Published version 2').first()).toBeAttached(soon)
  await expect(page.getByRole('dialog')).toContainText('version 1')
  await page.getByRole('dialog').getByRole('button', { name: 'Not now' }).click()
  await expect(page.getByRole('link', { name: 'Version 1', exact: true })).toHaveAttribute('aria-current', 'page')
})

/** An export of today, as a program asks for it. */
async function startExport(origin: string): Promise<string> {
  const token = await clientToken(origin, 'audit-export')
  const today = new Date().toISOString().slice(0, 10)
  const response = await fetch(`${origin}/v1/evidence/export-jobs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      startDate: `${today}T00:00:00.000Z`,
      endDate: new Date(Date.now() + 86_400_000).toISOString(),
      includeProofs: true,
    }),
  })
  const { exportId } = (await response.json()) as { exportId: string }
  return exportId
}

test('an export reports its stages and its end by itself', async ({ signedIn, origin }) => {
  const page = await signedIn('vera')
  await open(page, 'evidence')
  await expect(page.getByRole('heading', { level: 1, name: 'Evidence' })).toBeVisible()
  const exportId = await startExport(origin)
  const listed = page.locator(`main a[href*="${exportId}"]`)
  await expect(listed).toBeVisible(soon)
  await listed.click()
  await expect(page.getByRole('button', { name: /^Download the archive/ })).toBeVisible({ timeout: 120_000 })
})

test('the dialog that cancels an export outlives the export, and what verifies an archive the archive', async ({
  signedIn,
  origin,
}) => {
  const exportId = await startExport(origin)
  const page = await signedIn('vera')
  // How the page sees it: in progress until the dialog is filled in, and deleted once it is verified.
  let changed: object = { status: 'collecting' }
  await page.route(`**/v1/evidence/factory/jobs/${exportId}`, async (route) => {
    const answer = await route.fetch()
    const job = (await answer.json()) as object
    await route.fulfill({ response: answer, json: { ...job, ...changed } })
  })
  await open(page, `evidence/${exportId}`)
  await page.getByRole('button', { name: 'Cancel the export' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel this export?' })
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('The wrong period.')
  await expect(dialog.getByRole('button', { name: 'Cancel the export' })).not.toHaveAttribute('aria-disabled')
  changed = {}
  await expect(dialog).toContainText('This is no longer possible.')
  await expect(dialog.getByRole('textbox', { name: 'Reason' })).toHaveValue('The wrong period.')
  await dialog.getByRole('button', { name: 'Keep exporting' }).click()
  await page.getByRole('button', { name: 'Verify the archive here' }).click()
  const heading = page.getByRole('heading', { level: 1 })
  await expect(heading).toHaveText(/answers? hold/, { timeout: 60_000 })
  changed = { archiveGone: { reason: 'retention_expired', at: new Date().toISOString() } }
  // A download is on the record of the export, so the page reads it again.
  const vera = await personToken(origin, 'vera')
  await fetch(`${origin}/v1/evidence/factory/jobs/${exportId}/download`, {
    headers: { authorization: `Bearer ${vera}` },
  })
  await expect(page.getByRole('button', { name: /^Download the archive/ })).toHaveCount(0)
  await expect(heading).toHaveText(/answers? hold/)
  await expect(page.getByRole('heading', { name: 'Verify here' })).toBeVisible()
})

test('a page without a socket polls, and follows changes again when the socket reconnects', async ({
  signedIn,
  origin,
}) => {
  const page = await signedIn('anna')
  const [first, second] = [await waitingRefund(origin), await waitingRefund(origin)]
  let blocked = false
  const cut = new Set<() => Promise<void>>()
  let opened = 0
  let refused = 0
  let heard = 0
  await page.routeWebSocket(/\/v1/, (socket) => {
    // As from a server that refuses connections: the socket opens, and closes at the first message.
    if (blocked)
      return socket.onMessage(() => {
        refused += 1
        void socket.close()
      })
    const server = socket.connectToServer()
    server.onMessage((message) => {
      heard += 1
      socket.send(message)
    })
    cut.add(() => socket.close())
    opened += 1
  })
  await open(page, 'approvals')
  await expect(row(page, first)).toBeVisible()
  await expect(row(page, second)).toBeVisible()
  // The lists came by HTTP: a socket that is cut while it is still connecting would never be noticed.
  await expect.poll(() => heard).toBeGreaterThan(0)

  blocked = true
  for (const close of cut) await close()
  await expect.poll(() => refused).toBeGreaterThan(1)
  await decideAs(origin, 'jonas', first.approvalId, 'reject', 'Not this one.')
  await expect(row(page, first)).toBeHidden()
  const interrupted = page.getByText('Live updates are interrupted.')
  await expect(interrupted).toBeVisible()

  const before = opened
  blocked = false
  // A change that is committed before the socket reconnects appears after it has.
  await decideAs(origin, 'jonas', second.approvalId, 'reject', 'Nor this one.')
  await expect(row(page, second)).toBeHidden()
  await expect.poll(() => opened).toBeGreaterThan(before)
  await expect(interrupted).toBeHidden()
  const third = await waitingRefund(origin)
  await expect(row(page, third)).toBeVisible()
  await decideAs(origin, 'jonas', third.approvalId, 'reject', 'Nor this one.')
  await expect(row(page, third)).toBeHidden(soon)
})

test('all parts of the page share one socket', async ({ signedIn, origin }) => {
  const page = await signedIn('maria')
  const { executionId } = await waitingRefund(origin)
  // Counted in the page, so that sockets of the previous page are not included.
  await page.addInitScript(() => {
    let opened = 0
    window.WebSocket = class extends WebSocket {
      constructor(...args: ConstructorParameters<typeof WebSocket>) {
        super(...args)
        opened += 1
        Reflect.set(window, 'openedSockets', opened)
      }
    }
  })
  const sockets = () => page.evaluate(() => Number(Reflect.get(window, 'openedSockets')))
  await open(page, `executions/${executionId}?tab=trace`)
  await expect(page.getByRole('treegrid')).toBeVisible()
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: /^Approvals/ })
    .click()
  await expect(page.getByRole('heading', { level: 1, name: 'Approvals' })).toBeVisible()
  await expect.poll(sockets).toBe(1)
})
