import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { call, externalId, personToken, waitingRefund } from '../cases.ts'

/** A page of a tenant: its folder in app/t/[tenant], and an address of it. */
export type ConsolePage = { route: string; address: string }

type List<Item> = { items: Item[] }

/** Every page of a tenant, from the folders of app/, so that a new page can't be forgotten. Ids are those of one waiting refund. */
export async function everyPage(origin: string): Promise<ConsolePage[]> {
  const ids = await objects(origin)
  return routes().map((route) => {
    const path = route.replaceAll(/\[(\w+)\]/g, (_match, name: string) => {
      const id = ids[name]
      if (id === undefined) throw new Error(`${route}: e2e/every-page/pages.ts lacks an object for ${name}.`)
      return id
    })
    return { route, address: `/t/${externalId()}${path === '' ? '' : `/${path}`}` }
  })
}

/** The folders of all pages, such as `agents/[agentId]`; '' for the home page. */
export const routes = (): string[] =>
  readdirSync(join(import.meta.dirname, '../../app/t/[tenant]'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('page.tsx') && /(^|\/)page\.tsx$/.test(file))
    .map((file) => (dirname(file) === '.' ? '' : dirname(file)))
    .sort()

/** One object of each kind that an address can name. */
async function objects(origin: string): Promise<Record<string, string>> {
  const [maria, vera, refund] = await Promise.all([
    personToken(origin, 'maria'),
    personToken(origin, 'vera'),
    waitingRefund(origin),
  ])
  const read = <Data>(token: string, procedure: string, input: unknown) =>
    call<Data>(origin, token, 'query', procedure, input)
  const [policies, decisions, records] = await Promise.all([
    read<List<{ id: string; name: string }>>(maria, 'policies.list', { limit: 200 }),
    read<List<{ decisionId: string }>>(maria, 'policies.decisions', { agentId: refund.agentId, limit: 1 }),
    read<List<{ auditId: string }>>(vera, 'audit.list', { resourceId: refund.approvalId, limit: 1 }),
  ])
  const policyId = policies.items.find(({ name }) => name === 'refund-policy')?.id
  const [decisionId, auditId] = [decisions.items[0]?.decisionId, records.items[0]?.auditId]
  if (policyId === undefined || decisionId === undefined || auditId === undefined)
    throw new Error('The demo lacks a policy, a decision or a record.')
  return { ...refund, policyId, decisionId, auditId, exportId: await finishedExport(origin, vera) }
}

async function finishedExport(origin: string, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const now = Date.now()
  const body = JSON.stringify({
    startDate: new Date(now - 3_600_000).toISOString(),
    endDate: new Date(now).toISOString(),
    includeProofs: true,
  })
  const created = await fetch(`${origin}/v1/evidence/export-jobs`, { method: 'POST', headers, body })
  expect(created.status, await created.clone().text()).toBe(202)
  const { exportId } = (await created.json()) as { exportId: string }
  await expect
    .poll(async () => {
      const job = await fetch(`${origin}/v1/evidence/factory/jobs/${exportId}`, { headers })
      return ((await job.json()) as { status: string }).status
    })
    .toMatch(/^completed/)
  return exportId
}

/** Waits until the page has its heading and no request of it is open: what it shows without anyone's act. */
export async function settled(page: Page): Promise<void> {
  await expect(page.locator('h1').first()).toBeVisible()
  await expect(page.locator('.appear-late, [aria-busy="true"]')).toHaveCount(0)
  await page.waitForLoadState('networkidle')
}
