import type { Page } from '@playwright/test'
import { payload, type TestApi } from '#server/testing/api.ts'
import { approve, releaseRefundAgent } from '#server/testing/refund-agent.ts'
import { appearance } from '../../e2e/appearance.ts'
import { signInAt, within } from '../chromium.ts'
import { scrollFrames } from '../frames.ts'
import { median } from '../measure.ts'
import { type Figure, figure, number } from '../report.ts'

const requests = 200
/** Of a browser that draws 60 frames a second, with the rounding of its clock. */
const frameLimitMs = 17
const decisions = 10
const pushLimitMs = 1000

/** 200 requests in the inbox, and the page of one of them while another reviewer decides it. */
export async function inboxOnScreen(api: TestApi, page: Page, address: string, quiet: boolean): Promise<Figure[]> {
  const agent = 'inbox-of-two-hundred'
  // The inbox filters by the name that people see.
  const change = (manifest: string) => manifest.replace('displayName: Refund assistant', `displayName: ${agent}`)
  const agentId = await releaseRefundAgent(api, agent, { change })
  const waiting: string[] = []
  for (let number = 0; number < requests; number++) waiting.push(await ask(api, agentId, `R-${number}`))
  const approvals = `${address}/t/${api.credentials.tenants[0]?.externalId}/approvals`
  await page.setViewportSize({ width: 1440, height: 900 })
  await signInAt(page, address, api, 'jonas')
  await page.bringToFront()
  await page.goto(`${approvals}?agent=${agent}`)
  await within(`${requests} rows did not appear`, page.waitForFunction(hasRows, requests))
  await page.waitForLoadState('networkidle')
  const { frameMs, frameCpuMs } = await within('The inbox did not scroll', scrollFrames(page, 'html', 100))
  const nodes = await page.locator('*').count()

  const times: number[] = []
  for (const approvalId of waiting.slice(0, decisions)) {
    await page.goto(`${approvals}/${approvalId}`)
    await page.getByRole('radio', { name: 'Approve' }).check()
    const shown = within('The decision did not appear', appearance(page, 'Someone else decided first.'))
    // Both run on the same machine and share its clock.
    const began = Date.now()
    await approve(api, approvalId, 'anna')
    times.push((await shown) - began)
  }
  const slowest = Math.max(...times)
  const met = (holds: boolean) => (holds ? 'yes' : quiet ? 'no' : '?')
  return [
    figure({
      case: 15,
      job: `${requests} requests in the inbox: scroll frame p95`,
      ours: `${number(frameMs)} ms`,
      target: `≤ ${frameLimitMs} ms`,
      met: met(frameMs <= frameLimitMs),
      note: `${number(frameCpuMs)} CPU ms a frame; ${number(nodes)} nodes in the document`,
    }),
    figure({
      case: 15,
      job: `decided elsewhere: call → on screen, slowest of ${decisions}`,
      ours: `${number(slowest)} ms`,
      target: `≤ ${pushLimitMs} ms`,
      met: met(slowest <= pushLimitMs),
      note: `median ${number(median(times))} ms, with the call itself`,
      data: times,
    }),
  ]
}

async function ask(api: TestApi, agentId: string, id: string): Promise<string> {
  const refund = { id, amount: '182.40', currency: 'EUR' }
  const call = { agentId, environment: 'production', resource: 'payments/issue_refund', arguments: refund }
  const answer = await api.mutate(await api.client('ci-pipeline'), 'approvals.request', call)
  return payload<{ approvalId: string }>(answer).approvalId
}

/** In the page. */
const hasRows = (count: number) => document.querySelectorAll('tr:has(th[scope=row])').length === count
