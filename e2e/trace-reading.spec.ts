import type { Page } from '@playwright/test'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import { otlpJson } from '#server/testing/otlp.ts'
import { clientToken, externalId, waitingRefund } from './cases.ts'
import { expectEveryView } from './every-view.ts'
import { expect, test } from './fixtures.ts'

// A trace of another program, with two model calls, an error and a span whose parent never arrived.

const grid = (page: Page) => page.getByRole('treegrid', { name: 'Spans of the trace' })
const row = (page: Page, name: string) => grid(page).getByRole('row', { name })

const question = 'Where is order A-7? Write to **grace**.'
const messages = [
  { role: 'system', parts: [{ type: 'text', content: 'You help customers.' }] },
  { role: 'user', parts: [{ type: 'text', content: question }] },
  { role: 'user', parts: [{ type: 'image', mime_type: 'image/png', url: 'https://pictures.example/a.png' }] },
  { role: 'assistant', parts: [{ type: 'tool_call', id: 'c', name: 'lookup', arguments: { id: 'A-7' } }] },
  { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c', response: { state: 'shipped' } }] },
]
const answer = [{ role: 'assistant', parts: [{ type: 'text', content: 'It was shipped.' }] }]

async function sentTrace(origin: string): Promise<string> {
  const traceId = newTraceId()
  const [root, chat, child] = [newSpanId(), newSpanId(), newSpanId()]
  const at = Date.now() - 60_000
  const span = (spanId: string, name: string, from: number, to: number) => ({
    traceId,
    spanId,
    name,
    startMs: at + from,
    endMs: at + to,
  })
  const body = otlpJson(
    [
      { ...span(root, 'answer a customer', 0, 20_000), status: { code: 2 } },
      {
        ...span(chat, 'chat small-1', 100, 900),
        parentSpanId: root,
        attributes: [
          ['gen_ai.operation.name', 'chat'],
          ['gen_ai.request.model', 'small-1'],
          ['gen_ai.usage.input_tokens', 1204],
          ['gen_ai.usage.output_tokens', 96],
          ['gen_ai.input.messages', JSON.stringify(messages)],
          ['gen_ai.output.messages', JSON.stringify(answer)],
        ],
      },
      {
        ...span(newSpanId(), 'execute_tool lookup', 300, 450),
        parentSpanId: chat,
        attributes: [['gen_ai.tool.name', 'lookup']],
      },
      {
        ...span(child, 'execute_tool notify', 1000, 3000),
        parentSpanId: root,
        attributes: [['gen_ai.tool.name', 'notify']],
        status: { code: 2, message: 'The gateway answered 504' },
      },
      { ...span(newSpanId(), 'flush', 3100, 3200), parentSpanId: newSpanId() },
    ],
    [['service.name', 'helper']],
  )
  const response = await fetch(`${origin}/v1/traces`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await clientToken(origin, 'telemetry')}`, 'content-type': 'application/json' },
    body,
  })
  expect([response.status, await response.text()]).toEqual([200, '{}'])
  return traceId
}

test('a trace with an error says so first, and E leads to it from anywhere', async ({ signedIn, origin }) => {
  const traceId = await sentTrace(origin)
  const page = await signedIn('maria')
  await page.goto(`/t/${externalId()}/traces/${traceId}`)
  await expect(row(page, 'answer a customer')).toBeVisible()
  await expect(page.getByText('Ended with 2 errors')).toBeVisible()
  await expect(page.getByText('1,204 tokens in, 96 tokens out')).toBeVisible()
  await expect(page.getByText('Cost unknown')).toBeVisible()
  await expect(page.getByText('Model small-1')).toBeVisible()
  await expect(page.getByText('execute_tool notify failed after 2.00 s')).toBeVisible()
  await expect(page.getByText('The parent of 1 span is missing')).toBeVisible()

  await page.locator('body').press('e')
  await expect(grid(page).getByRole('row', { selected: true })).toContainText('answer a customer')
  await page.locator('body').press('e')
  await expect(grid(page).getByRole('row', { selected: true })).toContainText('execute_tool notify')
  const detail = page.getByRole('complementary', { name: 'Selected span' })
  await row(page, 'flush').click()
  await expect(detail).toContainText('which has not arrived or was not exported')
  await page.getByRole('button', { name: /^Go to the error/ }).click()
  await expect(detail.getByRole('heading', { level: 2 })).toHaveText('execute_tool notify')
  await expectEveryView(page, 'trace-error')
})

/** Resolves after the page has been painted, and observers have heard of it. */
const drawn = (page: Page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))))

test('the page of a trace appears with its title, and nothing on it moves', async ({ signedIn, origin }) => {
  const { traceId } = await waitingRefund(origin)
  const page = await signedIn('maria')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.addInitScript(() => {
    Reflect.set(window, 'moved', 0)
    new PerformanceObserver((list) => {
      for (const { value } of list.getEntries() as (PerformanceEntry & { value: number })[])
        Reflect.set(window, 'moved', Reflect.get(window, 'moved') + value)
    }).observe({ type: 'layout-shift', buffered: true })
  })
  // The title is that of the execution, whose answer comes last.
  const shown = Promise.withResolvers<void>()
  await page.route(/\/v1\/[^?]*executions\.list\b/, async (route) => {
    await shown.promise
    await route.continue()
  })
  const asked = page.waitForRequest(/executions\.list/)
  await page.goto(`/t/${externalId()}/traces/${traceId}`)
  // Asked for after the trace is there.
  await asked
  await drawn(page)
  shown.resolve()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Issue refund/)
  await expect(row(page, 'execute_tool lookup_order')).toBeVisible()
  await drawn(page)
  expect(await page.evaluate(() => Reflect.get(window, 'moved'))).toBeLessThan(0.01)
})

test('the axis follows the selected subtree, until the whole time is shown', async ({ signedIn, origin }) => {
  const traceId = await sentTrace(origin)
  const page = await signedIn('maria')
  await page.goto(`/t/${externalId()}/traces/${traceId}`)
  const bar = (name: string) => row(page, name).getByRole('gridcell').nth(2).locator('div')
  const share = async (name: string) =>
    await bar(name).evaluate((element) => element.clientWidth / (element.parentElement?.clientWidth ?? 1))
  await expect(row(page, 'chat small-1')).toBeVisible()
  expect(await share('chat small-1')).toBeLessThan(0.8)
  await row(page, 'chat small-1').click()
  await expect.poll(() => share('chat small-1')).toBeGreaterThan(0.95)
  // A leaf is shown among its neighbours, so that the axis stays.
  await row(page, 'execute_tool lookup').click()
  await expect.poll(() => share('chat small-1')).toBeGreaterThan(0.95)
  await page.getByRole('button', { name: 'Show the whole trace’s time' }).click()
  await expect.poll(() => share('chat small-1')).toBeLessThan(0.8)
  await page.getByRole('button', { name: 'Follow the selection' }).click()
  await expect.poll(() => share('chat small-1')).toBeGreaterThan(0.95)
})

test('in forced colours the bars can be told from their background', async ({ signedIn, origin }) => {
  const traceId = await sentTrace(origin)
  const page = await signedIn('maria')
  await page.emulateMedia({ forcedColors: 'active' })
  await page.goto(`/t/${externalId()}/traces/${traceId}`)
  for (const name of ['chat small-1', 'execute_tool notify']) {
    const bar = row(page, name).getByRole('gridcell').nth(2).locator('div')
    const [own, behind] = await bar.evaluate((element) => [
      getComputedStyle(element).backgroundColor,
      getComputedStyle(document.body).backgroundColor,
    ])
    expect(own).not.toBe(behind)
  }
})

test('a conversation is read by roles; masked until it is revealed, and nothing in it is loaded', async ({
  signedIn,
  origin,
}) => {
  const traceId = await sentTrace(origin)
  const page = await signedIn('pia')
  const loaded: string[] = []
  page.on('request', (request) => loaded.push(new URL(request.url()).host))
  await page.goto(`/t/${externalId()}/traces/${traceId}`)
  await row(page, 'chat small-1').click()
  const detail = page.getByRole('complementary', { name: 'Selected span' })
  const conversation = detail.getByRole('region', { name: 'Conversation' })
  const said = conversation.getByRole('list').first().getByRole('listitem')
  await expect(said).toHaveText([/^User.*Masked, content/, /^Assistant.*Masked, content/])
  await expectEveryView(page, 'trace-masked')
  await detail.getByRole('button', { name: 'Reveal masked values' }).click()
  const dialog = page.getByRole('dialog', { name: 'Reveal masked values' })
  await dialog.getByRole('checkbox', { name: 'Every masked value of this trace' }).check()
  await dialog.getByLabel('Purpose').fill('Customer complaint')
  await dialog.getByLabel(/^Justification/).fill('The customer says that nothing was answered.')
  await dialog.getByRole('button', { name: 'Reveal for 15 minutes' }).click()
  await expect(said).toHaveCount(6)
  await expect(said.nth(0)).toContainText('System')
  await expect(said.nth(1)).toContainText(question)
  await expect(said.nth(2)).toContainText('Image')
  await expect(said.nth(3)).toContainText('lookup is called with')
  await expect(said.nth(4)).toContainText('lookup answered')
  await expect(said.nth(5)).toContainText('It was shipped.')
  await expect(conversation.locator('strong, img')).toHaveCount(0)
  await expectEveryView(page, 'trace-conversation')
  expect(loaded).not.toContain('pictures.example')
})

test('on a phone a span opens as a sheet, and closes back to the list', async ({ signedIn, origin }) => {
  const traceId = await sentTrace(origin)
  const page = await signedIn('maria')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`/t/${externalId()}/traces/${traceId}`)
  await row(page, 'execute_tool notify').click()
  const sheet = page.getByRole('dialog', { name: 'Selected span' })
  await expect(sheet.getByRole('heading', { name: 'execute_tool notify' })).toBeVisible()
  await expectEveryView(page, 'trace-sheet')
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(sheet).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(sheet).toBeHidden()
  await grid(page).focus()
  // The arrows move through the list, and Enter opens.
  await page.keyboard.press('ArrowUp')
  await expect(sheet).toBeHidden()
  await page.keyboard.press('Enter')
  await expect(sheet.getByRole('heading', { name: 'execute_tool lookup' })).toBeVisible()
})
