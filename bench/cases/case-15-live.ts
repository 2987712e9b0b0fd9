import { dirname, join } from 'node:path'
import type { Page } from '@playwright/test'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import type { TestApi } from '#server/testing/api.ts'
import { joinServer } from '#server/testing/join-server.ts'
import { startSpan, startTrace } from '#server/traces/recording/record.ts'
import { within } from '../chromium.ts'
import { median } from '../measure.ts'
import { type Figure, figure, number } from '../report.ts'

const liveSpans = 30
const liveLimitMs = 1000

/** From before a span's commit to the frame that shows it, one span after the other, while the trace grows. */
export async function liveOnScreen(api: TestApi, page: Page, address: string, quiet: boolean): Promise<Figure> {
  const { database, close } = await joinServer(api.ownerUrl, join(dirname(api.gate), 'data'))
  const [tenant] = api.credentials.tenants
  if (tenant === undefined) throw new Error('The demo tenant was not found.')
  const commit = (traceId: string, name: string) =>
    database.inTenant(tenant.id, (tx) => {
      const span = { traceId, spanId: newSpanId(), name, kind: 'tool' as const, attributes: [], startedAt: new Date() }
      return startSpan(tx, tenant.id, span)
    })
  try {
    const traceId = newTraceId()
    const startedAt = new Date()
    await database.inTenant(tenant.id, (tx) => startTrace(tx, tenant.id, { traceId, name: 'live', startedAt }))
    await commit(traceId, 'live 0')
    // The peer's page was last in front, and the browser draws frames of the front page only.
    await page.bringToFront()
    await page.goto(`${address}/t/${tenant.externalId}/traces/${traceId}`)
    await page.getByText('Live', { exact: true }).waitFor()
    const times: number[] = []
    for (let index = 1; index <= liveSpans; index++) {
      const name = `live ${index}`
      // Both run on the same machine and share its clock.
      const shown = within(`${name} did not appear`, page.evaluate(appearance, name))
      const began = Date.now()
      await commit(traceId, name)
      times.push((await shown) - began)
    }
    const slowest = Math.max(...times)
    return figure({
      case: 15,
      job: `live span: commit → on screen, slowest of ${liveSpans}`,
      ours: `${number(slowest)} ms`,
      target: `≤ ${liveLimitMs} ms`,
      met: slowest <= liveLimitMs ? 'yes' : quiet ? 'no' : '?',
      note: `median ${number(median(times))} ms; the page collects for up to 250 ms`,
      data: times,
    })
  } finally {
    await close()
  }
}

/** In the page: the time of the frame after an element with exactly that text appeared, in epoch milliseconds. */
function appearance(text: string): Promise<number> {
  return new Promise((resolve) => {
    const look = () => [...document.querySelectorAll('[role=row] bdi')].some((one) => one.textContent === text)
    const observer = new MutationObserver(() => {
      if (!look()) return
      observer.disconnect()
      requestAnimationFrame(() => setTimeout(() => resolve(Date.now())))
    })
    observer.observe(document, { subtree: true, childList: true, characterData: true })
  })
}
