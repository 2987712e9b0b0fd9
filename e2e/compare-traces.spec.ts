import type { Page } from '@playwright/test'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { otlpJson } from '#server/testing/otlp.ts'
import { otlpRequests, sampleSpans } from '#server/testing/sample-spans.ts'
import { clientToken, decideAs, home, waitingRefund } from './cases.ts'
import { expectEveryView } from './every-view.ts'
import { expect, expectAccessible, test } from './fixtures.ts'

const grid = (page: Page) => page.getByRole('treegrid', { name: 'Spans of both traces' })
const row = (page: Page, name: string | RegExp) => grid(page).getByRole('row', { name })
const detail = (page: Page) => page.getByRole('complementary', { name: 'Selected span' })

async function send(origin: string, body: string): Promise<void> {
  const response = await fetch(`${origin}/v1/traces`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await clientToken(origin, 'telemetry')}`, 'content-type': 'application/json' },
    body,
  })
  expect([response.status, await response.text()]).toEqual([200, '{}'])
}

test('a run is compared with another of its agent, by structure and by what was not masked', async ({
  signedIn,
  origin,
}) => {
  const first = await waitingRefund(origin, { orderId: 'A-1003' })
  await decideAs(origin, 'jonas', first.approvalId, 'approve', 'Order checked.')
  const second = await waitingRefund(origin, { orderId: 'A-1001' })
  const page = await signedIn('maria')
  await page.goto(`${home()}/traces/${first.traceId}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Issue refund of .* for A-1003$/)
  await page.getByRole('link', { name: 'Compare with another' }).click()
  const runs = page.getByRole('table', { name: 'Last runs of the same agent' })
  const other = runs.locator(`a[href$="with=${second.traceId}"]`)
  await expect(other).toHaveText(/^Issue refund of .* for A-1001$/)
  // The run itself is not offered.
  await expect(runs.locator(`a[href$="with=${first.traceId}"]`)).toHaveCount(0)
  await expectEveryView(page, 'compare-choose')

  const field = page.getByLabel('Id or address of a trace or an execution')
  await field.fill('order A-1001')
  await page.getByRole('button', { name: 'Compare', exact: true }).click()
  await expect(page.getByText('Paste the id or the address of a trace or an execution.')).toBeVisible()
  await field.fill(`https://console.example/t/x/executions/${second.executionId}`)
  await page.getByRole('button', { name: 'Compare', exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`/traces/${first.traceId}/compare\\?with=${second.traceId}$`))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Compare Issue .* A-1003 with Issue .* A-1001$/)

  await expect(row(page, /execute_tool issue_refund , Tool call, missing/)).toBeVisible()
  await expect(row(page, /execute_tool lookup_order , Tool call, changed/)).toContainText('input')
  await row(page, /execute_tool lookup_order/).click()
  const input = detail(page).getByRole('region', { name: 'Input' })
  await expect(input.getByRole('row', { name: /\.id/ })).toHaveText(/A-1003.*A-1001/)
  await expect(detail(page).getByRole('region', { name: 'Output' })).toContainText('masked, so not compared')
  await expect(page).toHaveURL(/span=[0-9a-f]{16}/)
  await expectEveryView(page, 'compare')

  await page.getByRole('button', { name: /missing$/ }).click()
  await expect(row(page, /execute_tool lookup_order/)).toHaveCount(0)
  await expect(page).toHaveURL(/only=missing/)
  await page.reload()
  await expect(row(page, /issue_refund , Tool call, missing/)).toBeVisible()
  await expect(page.getByRole('button', { name: /missing$/ })).toHaveAttribute('aria-pressed', 'true')

  await page.getByRole('link', { name: 'Swap the two' }).click()
  await expect(row(page, /execute_tool issue_refund , Tool call, added/)).toBeVisible()
})

/** Traces of another program: the second one calls its model twice, and fails. */
async function sentPair(origin: string): Promise<[string, string]> {
  const [first, second] = [newTraceId(), newTraceId()]
  const at = Date.now() - 60_000
  const trace = (traceId: string, tokens: number, failed: boolean) => {
    const root = newSpanId()
    const span = (name: string, from: number, to: number) => ({
      traceId,
      spanId: newSpanId(),
      parentSpanId: root,
      name,
      startMs: at + from,
      endMs: at + to,
    })
    const chat = (from: number, inputTokens: number) => ({
      ...span('chat small-1', from, from + 700),
      attributes: [
        ['gen_ai.operation.name', 'chat'],
        ['gen_ai.request.model', 'small-1'],
        ['gen_ai.usage.input_tokens', inputTokens],
        ['gen_ai.usage.output_tokens', 96],
      ] as [string, string | number][],
    })
    const call = { ...span('execute_tool notify', 1000, failed ? 4000 : 1200) }
    return [
      { traceId, spanId: root, name: 'answer a customer', startMs: at, endMs: at + 5000 },
      chat(100, tokens),
      failed ? { ...call, status: { code: 2, message: 'The gateway answered 504' } } : call,
      ...(failed ? [chat(4100, 50)] : []),
    ]
  }
  await send(
    origin,
    otlpJson([...trace(first, 1204, false), ...trace(second, 1504, true)], [['service.name', 'helper']]),
  )
  return [first, second]
}

test('an error that only one trace has comes first, and the keys lead from difference to difference', async ({
  signedIn,
  origin,
}) => {
  const [first, second] = await sentPair(origin)
  const page = await signedIn('maria')
  await page.goto(`${home()}/traces/${first}/compare?with=${second}`)
  await expect(page.getByText('Only in the second trace: execute_tool notify failed after 3.00 s')).toBeVisible()
  await expect(page.getByRole('row', { name: /^Tokens in/ })).toHaveText(/1,204.*1,554.*\+350/)
  await expect(row(page, /notify/)).toContainText('ended → error, +2.80 s')
  await expect(row(page, /chat small-1 , Model, changed/)).toContainText('+300 tokens')
  await expect(row(page, /chat small-1 , Model, added/)).toContainText('only in the second')
  await page.locator('body').press('e')
  await expect(grid(page).getByRole('row', { selected: true })).toContainText('execute_tool notify')
  await page.locator('body').press('d')
  await expect(grid(page).getByRole('row', { selected: true })).toContainText('only in the second')
  await page.locator('body').press('d')
  await expect(grid(page).getByRole('row', { selected: true })).toContainText('+300 tokens')
  await grid(page).focus()
  await page.keyboard.press('ArrowDown')
  await expect(grid(page).getByRole('row', { selected: true })).toContainText('execute_tool notify')
  await expectEveryView(page, 'compare-error')

  // On a phone the details open over the list.
  await page.setViewportSize({ width: 390, height: 844 })
  await page.keyboard.press('Escape')
  await row(page, /notify/).click()
  const sheet = page.getByRole('dialog', { name: 'Selected span' })
  await expect(sheet.getByRole('table', { name: 'The span in both traces' })).toContainText('ended')
  await expectAccessible(page)

  await page.setViewportSize({ width: 1440, height: 900 })
  await page.emulateMedia({ forcedColors: 'active' })
  await expect(row(page, /notify/)).toContainText('≠')
})

test('ten thousand spans are compared with ten thousand in a few hundred nodes', async ({ signedIn, origin }) => {
  const [first, second] = [newTraceId(), newTraceId()]
  const count = 10_000
  const spans = sampleSpans(count)
  for (const body of otlpRequests(first, spans, Date.now() - count)) await send(origin, body)
  const shorter = spans.map((span) => (span.name === 'search 27' ? { ...span, name: 'search again' } : span))
  for (const body of otlpRequests(second, shorter, Date.now() - count)) await send(origin, body)
  const page = await signedIn('maria')
  await page.goto(`${home()}/traces/${first}/compare?with=${second}&unfolded=1`)
  await expect(row(page, /a long run/)).toBeVisible({ timeout: 120_000 })
  expect(await page.locator('*').count()).toBeLessThanOrEqual(1000)
  await grid(page).focus()
  await page.keyboard.press('End')
  await expect(grid(page).getByRole('row', { selected: true })).toBeVisible()
  expect(await page.locator('*').count()).toBeLessThanOrEqual(1000)
  await expectAccessible(page)
})
