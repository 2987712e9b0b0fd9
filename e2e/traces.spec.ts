import type { Page } from '@playwright/test'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { otlpJson } from '#server/testing/otlp.ts'
import { otlpRequests, sampleSpans } from '#server/testing/sample-spans.ts'
import { call, clientToken, decideAs, externalId, personToken, waitingRefund } from './cases.ts'
import { expect, expectAccessible, test } from './fixtures.ts'
import { hold } from './gate.ts'

// The customer of order A-1003 in the demo's order book, at a `data.sensitive` path of the manifest.
const email = 'grace.okafor@mail.example'

type Spans = { spans: { spanId: string; name: string; startedAt: string }[] }

const grid = (page: Page) => page.getByRole('treegrid', { name: 'Spans of the trace' })
const row = (page: Page, name: string) => grid(page).getByRole('row', { name })

/** Records the responses and frames that reach the browser. */
function record(page: Page): string[] {
  const received: string[] = []
  page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => received.push(payload.toString())))
  page.on('response', async (response) => {
    if (!new URL(response.url()).pathname.startsWith('/v1/')) return
    // The body is no longer available after the page navigates away.
    received.push(await response.text().catch(() => ''))
  })
  return received
}

test('a call appears in the open trace while it still runs', async ({ signedIn, origin }) => {
  const page = await signedIn('maria')
  const received = record(page)
  const { traceId, executionId, approvalId } = await waitingRefund(origin, { orderId: 'A-1003' })
  await page.goto(`/t/${externalId()}/traces/${traceId}`)
  await expect(row(page, 'execute_tool lookup_order')).toBeVisible()
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  await expect(row(page, 'execute_tool issue_refund')).toBeHidden()
  const gate = hold('issue_refund')
  try {
    await decideAs(origin, 'jonas', approvalId, 'approve', 'Order checked.')
    // The call can't end before the gate opens, so the page shows it during the call. bench/case-15-live.ts measures the
    // delay.
    await expect(row(page, 'execute_tool issue_refund')).toContainText('still running')
    const token = await personToken(origin, 'maria')
    const execution = await call<{ status: string }>(origin, token, 'query', 'executions.get', { id: executionId })
    expect(execution.status).toBe('running')
    await expectAccessible(page)
  } finally {
    gate.open()
  }

  await expect(page.getByText('The execution has ended; its spans are complete')).toBeVisible()
  await expect(row(page, 'execute_tool issue_refund')).not.toContainText('still running')

  // The order that the tool returned contains the customer's e-mail address.
  await row(page, 'execute_tool lookup_order').click()
  const detail = page.getByRole('complementary', { name: 'Selected span' })
  await expect(detail).toContainText(`Masked, pii.email, ${email.length} characters`)
  await expect(detail).toContainText('you don’t have an unmask grant')
  await expect(detail.getByRole('button', { name: 'Reveal masked values' })).toHaveAttribute('aria-disabled', 'true')
  await expectAccessible(page)

  expect(received.some((text) => text.includes('span.started'))).toBe(true)
  expect(received.some((text) => text.includes('execute_tool lookup_order'))).toBe(true)
  expect(received.filter((text) => text.includes(email))).toEqual([])
  expect(await page.content()).not.toContain(email)
})

test('the waterfall can be used by keyboard, and the address keeps the selected span', async ({ signedIn, origin }) => {
  const { traceId } = await waitingRefund(origin)
  const page = await signedIn('maria')
  await page.goto(`/t/${externalId()}/traces/${traceId}`)
  await expect(row(page, 'invoke_agent refund-assistant')).toBeVisible()
  await grid(page).focus()
  await page.keyboard.press('ArrowDown')
  await expect(row(page, 'invoke_agent refund-assistant')).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('ArrowLeft')
  await expect(row(page, 'invoke_agent refund-assistant')).toHaveAttribute('aria-expanded', 'false')
  await expect(row(page, 'execute_tool lookup_order')).toBeHidden()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('End')
  await expect(row(page, 'approval payments.issue_refund')).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByText('Paused, 0 new')).toBeVisible()
  const token = await personToken(origin, 'maria')
  const { spans } = await call<Spans>(origin, token, 'query', 'traces.getTrace', { traceId })
  // The address follows a moment later, and named the root before.
  const approval = spans.find(({ name }) => name === 'approval payments.issue_refund')?.spanId
  await expect(page).toHaveURL(new RegExp(`[?&]span=${approval}`))

  await page.reload()
  await expect(row(page, 'approval payments.issue_refund')).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByText('Paused, 0 new')).toBeVisible()
  await expect(page.getByRole('complementary', { name: 'Selected span' })).toContainText('countersign.approval.id')
  await page.getByRole('button', { name: 'Follow new spans' }).click()
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  await expect(page).not.toHaveURL(/span=/)
})

test('the stream continues where it was after a lost connection', async ({ signedIn, origin, troubles }) => {
  troubles.expect(/WebSocket connection|ERR_INTERNET_DISCONNECTED|Failed to load resource/)
  const { traceId, approvalId } = await waitingRefund(origin)
  const page = await signedIn('maria')
  await page.goto(`/t/${externalId()}/traces/${traceId}`)
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  await page.context().setOffline(true)
  await decideAs(origin, 'jonas', approvalId, 'approve', 'While the page is offline.')
  await page.context().setOffline(false)
  await expect(row(page, 'execute_tool issue_refund')).toBeVisible({ timeout: 90_000 })
  await expect(page.getByText('The execution has ended; its spans are complete')).toBeVisible({ timeout: 90_000 })
})

test('spans are found by name, kind and error, and the address keeps the filters', async ({ signedIn, origin }) => {
  const { traceId } = await waitingRefund(origin)
  const page = await signedIn('maria')
  await page.goto(`/t/${externalId()}/traces/${traceId}`)
  await expect(row(page, 'execute_tool lookup_order')).toBeVisible()
  const search = page.getByRole('search', { name: 'Find spans' }).getByRole('searchbox')
  await page.keyboard.press('/')
  await expect(search).toBeFocused()
  await page.keyboard.type('EXECUTE_TOOL LOOKUP')
  await expect(page.getByRole('search', { name: 'Find spans' })).toContainText('1 span of')
  await expect(row(page, 'invoke_agent refund-assistant')).toBeVisible()
  await expect(row(page, 'approval payments.issue_refund')).toBeHidden()
  await page.keyboard.press('Enter')
  await expect(row(page, 'execute_tool lookup_order')).toHaveAttribute('aria-selected', 'true')
  await expect(page).toHaveURL(/[?&]q=EXECUTE_TOOL/)

  await page.reload()
  await expect(page.getByRole('search', { name: 'Find spans' })).toContainText('1 span of')
  await page.getByRole('button', { name: 'Show all spans' }).click()
  await page.getByRole('button', { name: 'Approval', exact: true }).click()
  await expect(row(page, 'approval payments.issue_refund')).toBeVisible()
  await expect(row(page, 'execute_tool lookup_order')).toBeHidden()
  await page.getByRole('button', { name: 'Approval', exact: true }).click()
  await page.getByRole('button', { name: 'Errors' }).click()
  await expect(page.getByText('No spans match.')).toBeVisible()
  await page.getByRole('button', { name: 'Show all spans' }).click()
  await page.getByRole('button', { name: 'Critical path' }).click()
  await expect(row(page, 'invoke_agent refund-assistant')).toBeVisible()
  await page.getByLabel('Levels shown').selectOption('1')
  await page.getByRole('button', { name: 'Show all spans' }).click()
  await expect(row(page, 'execute_tool lookup_order')).toBeHidden()
  await expectAccessible(page)
})

test('a masked value is revealed for a reason that everyone can see, and masked again', async ({
  signedIn,
  origin,
}) => {
  const { traceId } = await waitingRefund(origin, { orderId: 'A-1003' })
  const page = await signedIn('pia')
  await page.goto(`/t/${externalId()}/traces/${traceId}`)
  await row(page, 'execute_tool lookup_order').click()
  const detail = page.getByRole('complementary', { name: 'Selected span' })
  await expect(detail).toContainText('No one has revealed its masked values.')
  await detail.getByRole('button', { name: 'Reveal masked values' }).click()
  const dialog = page.getByRole('dialog', { name: 'Reveal masked values' })
  await dialog.getByLabel('Purpose').fill('Customer complaint')
  // Nothing is chosen beforehand.
  const values = dialog.getByRole('group', { name: 'Values' }).getByRole('checkbox')
  for (const box of await values.all()) await expect(box).not.toBeChecked()
  await dialog.getByLabel(/^Justification/).fill('Too short')
  await dialog.getByRole('button', { name: 'Reveal for 15 minutes' }).click()
  await expect(dialog).toContainText('at least 20 of them visible')
  await expect(dialog).toContainText('Choose at least one value.')
  await values.first().check()
  await expectAccessible(page)
  await dialog.getByLabel(/^Justification/).fill('The customer says that she never gave this address.')
  await dialog.getByRole('button', { name: 'Reveal for 15 minutes' }).click()

  await expect(page.getByText(/^Unmasked for you until/)).toBeVisible()
  await expect(detail).toContainText(email)
  await expect(detail.getByRole('region', { name: 'Seen by' })).toContainText('Customer complaint')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Re-mask' }).click()
  await expect(detail).toContainText(`Masked, pii.email, ${email.length} characters`)
  expect(await page.content()).not.toContain(email)
})

/** Sends spans as an OpenTelemetry exporter would. */
async function send(origin: string, body: string): Promise<void> {
  const response = await fetch(`${origin}/v1/traces`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await clientToken(origin, 'telemetry')}`, 'content-type': 'application/json' },
    body,
  })
  expect([response.status, await response.text()]).toEqual([200, '{}'])
}

for (const count of [10_000, 50_000])
  test(`a trace of ${count} spans renders a few hundred nodes, and one key selects its only error`, async ({
    signedIn,
    origin,
  }) => {
    const traceId = newTraceId()
    for (const body of otlpRequests(traceId, sampleSpans(count), Date.now() - count)) await send(origin, body)
    const page = await signedIn('maria')
    await page.goto(`/t/${externalId()}/traces/${traceId}`)
    await expect(row(page, 'a long run')).toBeVisible({ timeout: 120_000 })
    await expect(page.getByText(`${count.toLocaleString('en')} spans`, { exact: true })).toBeVisible()
    expect(await page.locator('*').count()).toBeLessThanOrEqual(800)
    await grid(page).focus()
    await page.keyboard.press('e')
    await expect(grid(page).getByRole('row', { selected: true })).toContainText('error')
    await expect(page.getByRole('complementary', { name: 'Selected span' })).toContainText(
      'Masked, error, 9 characters',
    )
    // With the details of a selected span open, and at the other end of the list.
    expect(await page.locator('*').count()).toBeLessThanOrEqual(800)
    await page.keyboard.press('Home')
    await expect(row(page, 'a long run')).toHaveAttribute('aria-selected', 'true')
    expect(await page.locator('*').count()).toBeLessThanOrEqual(800)
    if (count === 10_000) await expectAccessible(page)
  })

test('the page of a trace of an external agent stays open, and shows the spans that arrive later', async ({
  signedIn,
  origin,
}) => {
  const traceId = newTraceId()
  const at = Date.now() - 60_000
  const sent = (name: string, from: number) =>
    otlpJson(
      [{ traceId, spanId: newSpanId(), name, startMs: at + from, endMs: at + from + 100 }],
      [['service.name', 'a-late-service']],
    )
  await send(origin, sent('first work', 0))
  const page = await signedIn('maria')
  await page.goto(`/t/${externalId()}/traces/${traceId}`)
  await expect(row(page, 'first work')).toBeVisible()
  await expect(page.getByText('Open: services may still send spans, which appear here')).toBeVisible()
  await send(origin, sent('late work', 500))
  await expect(row(page, 'late work')).toBeVisible()
  await expect(page.getByText('2 spans', { exact: true })).toBeVisible()
})

test('traces are found by name, state and kind, and the address keeps the filters', async ({ signedIn, origin }) => {
  const { traceId } = await waitingRefund(origin)
  const page = await signedIn('maria')
  await page.goto(`/t/${externalId()}/traces`)
  const traces = page.getByRole('table', { name: 'Traces' })
  const link = traces.locator(`a[href$="/${traceId}"]`)
  await expect(link).toContainText('refund of €')
  await page.getByRole('searchbox', { name: 'Recorded name' }).fill('no such name')
  await page.keyboard.press('Enter')
  await expect(page.getByText('No traces match these filters.')).toBeVisible()
  await expect(page).toHaveURL(/text=no\+such\+name/)
  await page.getByRole('button', { name: 'Show all' }).click()
  await expect(page.getByRole('searchbox', { name: 'Recorded name' })).toHaveValue('')
  await page.getByLabel('State').selectOption({ label: 'Running' })
  await page.getByLabel('With a step of kind').selectOption({ label: 'Approval' })
  await page.getByLabel('Agent').selectOption({ label: 'Refund assistant' })
  await expect(page).toHaveURL(/agentId=.*&status=open&kind=approval/)
  await expect(link).toBeVisible()
  await expectAccessible(page)
  await page.getByLabel('State').selectOption({ label: 'With an error' })
  await expect(link).toBeHidden()
  await page.reload()
  await expect(page.getByLabel('With a step of kind')).toHaveValue('approval')
})
