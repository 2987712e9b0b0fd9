import type { Page } from '@playwright/test'
import { newSpanId } from '#server/kernel/ids.ts'
import { endSpan, startSpan } from '#server/traces/recording/record.ts'
import { withLiveTrace } from './database.ts'
import { demoTenant, expect, expectAccessible, signIn, test } from './fixtures.ts'

const grid = (page: Page) => page.getByRole('treegrid', { name: 'Spans of the trace' })
const step = (page: Page, number: number) =>
  grid(page)
    .getByRole('row')
    .filter({ has: page.getByText(`step ${number}`, { exact: true }) })

test('the live tail follows committed spans, pauses while a person reads, and resumes at the end', async ({ page }) => {
  const tenant = demoTenant()
  await withLiveTrace(tenant.id, 'a live run', async (database, traceId) => {
    let spans = 0
    let newest = ''
    const commit = async (count: number) => {
      for (let index = 0; index < count; index++) {
        spans += 1
        newest = newSpanId()
        const span = { traceId, spanId: newest, name: `step ${spans}`, kind: 'other' as const, attributes: [] }
        const startedAt = new Date()
        await database.inTenant(tenant.id, (tx) => startSpan(tx, tenant.id, { ...span, startedAt }))
      }
    }
    await commit(60)
    await signIn(page, 'maria')
    await page.goto(`/t/${tenant.externalId}/traces/${traceId}`)
    await expect(page.getByText('Live', { exact: true })).toBeVisible()
    await expect(step(page, 60)).toBeInViewport()
    for (let index = 0; index < 5; index++) {
      await commit(1)
      await expect(step(page, spans)).toBeInViewport()
      await expect(step(page, spans)).toContainText('still running')
    }

    // While scrolled away from the end, new spans are counted and the visible rows don't move.
    await grid(page).hover()
    await page.mouse.wheel(0, -100_000)
    await expect(page.getByText('Paused, 0 new')).toBeVisible()
    await commit(3)
    await expect(page.getByText('Paused, 3 new')).toBeVisible()
    await expect(step(page, 1)).toBeInViewport()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Follow new spans' }).click()
    await expect(page.getByText('Live', { exact: true })).toBeVisible()
    await expect(step(page, 68)).toBeInViewport()

    // Selecting a span also pauses the tail.
    await step(page, 67).click()
    await expect(page.getByText('Paused, 0 new')).toBeVisible()
    await commit(2)
    await expect(page.getByText('Paused, 2 new')).toBeVisible()
    await expect(step(page, 67)).toHaveAttribute('aria-selected', 'true')
    await page.getByRole('button', { name: 'Follow new spans' }).click()
    await commit(1)
    await expect(step(page, 71)).toBeInViewport()

    const end = { traceId, spanId: newest, status: 'ok' as const, attributes: [], endedAt: new Date() }
    await database.inTenant(tenant.id, (tx) => endSpan(tx, tenant.id, end))
    await expect(step(page, 71)).not.toContainText('still running')
  })
})

test('a page that was too slow for the stream reports the missed changes, and shows all of them', async ({ page }) => {
  const tenant = demoTenant()
  await withLiveTrace(tenant.id, 'a busy run', async (database, traceId) => {
    const commit = (name: string) =>
      database.inTenant(tenant.id, (tx) => {
        const span = { traceId, spanId: newSpanId(), name, kind: 'tool' as const, attributes: [] }
        return startSpan(tx, tenant.id, { ...span, startedAt: new Date() })
      })
    await commit('step 1')
    // As the server responds to a slow reader (slow-reader.test.ts): it omits events and reports a gap.
    type Event = { result?: { data?: { json?: { data: unknown } } } }
    const missed: Event[] = []
    let slow = false
    let tell: (frame: string) => void = () => undefined
    await page.routeWebSocket(/\/v1/, (socket) => {
      tell = (frame) => socket.send(frame)
      socket.connectToServer().onMessage((message) => {
        if (!slow || !String(message).includes('span.started')) return socket.send(message)
        missed.push(JSON.parse(String(message)))
      })
    })
    await signIn(page, 'maria')
    await page.goto(`/t/${tenant.externalId}/traces/${traceId}`)
    await expect(page.getByText('Live', { exact: true })).toBeVisible()
    await expect(step(page, 1)).toBeVisible()
    slow = true
    for (const name of ['step 2', 'step 3', 'step 4']) await commit(name)
    await expect.poll(() => missed.length).toBe(3)
    await expect(step(page, 2)).toBeHidden()
    const last = missed[2]?.result?.data?.json
    if (last === undefined) throw new Error('Not an event.')
    last.data = { type: 'gap', missed: missed.length }
    tell(JSON.stringify(missed[2]))
    slow = false

    await expect(page.getByText('3 changes arrived faster than this page could show')).toBeVisible()
    for (const number of [2, 3, 4]) await expect(step(page, number)).toBeVisible()
    await expectAccessible(page)
    await commit('step 5')
    await expect(step(page, 5)).toBeVisible()
  })
})
