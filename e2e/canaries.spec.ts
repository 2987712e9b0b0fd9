import type { Page } from '@playwright/test'
import {
  approvalPath,
  approvalsPath,
  auditPath,
  auditRecordPath,
  decisionPath,
  type ExecutionTab,
  evidencePath,
  executionPath,
  executionsPath,
  homePath,
  policiesPath,
  tracePath,
  tracesPath,
} from '#lib/paths.ts'
import { call, clientToken, decideAs, externalId, personToken } from './cases.ts'
import { expect, signIn, test } from './fixtures.ts'

// Personal data enters by every route that the demo's refund agent has. The tests search for it in everything that a
// browser receives and stores: documents, attributes, fields, storage, responses and frames. Only a grant may reveal it.

/** At a `data.sensitive` path of the manifest: in the input, in an event's data, and in its sender's note. */
const canary = `geheimvogel-${Date.now()}@mail.example`
/** What the tool returns for order A-1004, at the same path. */
const answered = 'noor.haddad@mail.example'
const canaries = [canary, answered]

type Case = {
  executionId: string
  traceId: string
  approvalId: string
  receiptId: string
  spanIds: string[]
  decisionIds: string[]
}

/** An execution, from its start up to its approval. */
async function makeCase(origin: string): Promise<Case> {
  const maria = await personToken(origin, 'maria')
  const omar = await personToken(origin, 'omar')
  const agents = await call<{ items: { id: string; name: string }[] }>(origin, maria, 'query', 'agents.list', {})
  const agentId = agents.items.find(({ name }) => name === 'refund-assistant')?.id
  const started = await call<{ executionId: string; traceId: string }>(
    origin,
    maria,
    'mutation',
    'executions.execute',
    { agentId, environment: 'production', input: { orderId: 'A-1004', customer: { email: canary } } },
  )
  const { executionId, traceId } = started
  const read = () =>
    call<{ status: string; steps: { approvalId: string | null }[] }>(origin, maria, 'query', 'executions.get', {
      id: executionId,
    })
  await expect.poll(async () => (await read()).status).toBe('waiting_input')
  const sent = await fetch(`${origin}/v1/input-events`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await clientToken(origin, 'ci-pipeline')}`,
      'content-type': 'application/cloudevents+json',
    },
    body: JSON.stringify({
      specversion: '1.0',
      // One event for each case.
      id: `${canary}-${executionId}`,
      source: `/mail/${canary}`,
      type: 'example.confirmed',
      subject: canary,
      executionid: executionId,
      input: 'manager_confirmation',
      data: { confirmed: true, customer: { email: canary } },
    }),
  })
  expect(sent.status).toBe(202)
  const { receiptId } = (await sent.json()) as { receiptId: string }
  await expect.poll(async () => (await read()).status).toBe('waiting_approval')
  const { steps } = await read()
  const approvalId = steps.find((step) => step.approvalId !== null)?.approvalId ?? ''
  const { spans } = await call<{ spans: { spanId: string }[] }>(origin, maria, 'query', 'traces.getTrace', { traceId })
  const decisions = await call<{ items: { decisionId: string; executionId: string | null }[] }>(
    origin,
    omar,
    'query',
    'policies.decisions',
    { agentId, limit: 50 },
  )
  return {
    executionId,
    traceId,
    approvalId,
    receiptId,
    spanIds: spans.map(({ spanId }) => spanId),
    decisionIds: decisions.items.filter((one) => one.executionId === executionId).map((one) => one.decisionId),
  }
}

/** Records everything that reaches the browser from now on: responses, documents and frames. */
function record(page: Page) {
  const frames: string[] = []
  const answers: Promise<string>[] = []
  page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => frames.push(payload.toString())))
  page.on('response', (response) => {
    if (/\.(js|css|woff2|svg|png|ico)$/.test(new URL(response.url()).pathname)) return
    // The body is no longer available after the page navigates away.
    answers.push(
      response.text().then(
        (text) => `${response.url()} ${text}`,
        () => response.url(),
      ),
    )
  })
  return async () => [...frames, ...(await Promise.all(answers))]
}

/** Returns everything that the browser stores and shows now. */
async function kept(page: Page): Promise<string> {
  const inside = await page.evaluate(async () => {
    const fields = [...document.querySelectorAll('input, textarea')].map((field) =>
      field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ? field.value : '',
    )
    const stored = [localStorage, sessionStorage].map((storage) => JSON.stringify({ ...storage }))
    const databases = await Promise.all(
      (await indexedDB.databases()).map(
        ({ name = '' }) =>
          new Promise<string>((resolve, reject) => {
            const opening = indexedDB.open(name)
            opening.onerror = () => reject(opening.error ?? new Error(name))
            opening.onsuccess = () => {
              const stores = [...opening.result.objectStoreNames]
              if (stores.length === 0) return resolve('')
              const texts: string[] = []
              const reading = opening.result.transaction(stores)
              for (const store of stores) {
                const all = reading.objectStore(store).getAll()
                all.onsuccess = () => texts.push(JSON.stringify(all.result))
              }
              reading.oncomplete = () => {
                opening.result.close()
                resolve(texts.join())
              }
            }
          }),
      ),
    )
    const cached = await Promise.all(
      (await caches.keys()).map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => url)),
    )
    return [document.title, location.href, document.cookie, ...fields, ...stored, ...databases, ...cached.flat()]
  })
  return [await page.content(), ...inside].join('\n')
}

const found = (text: string) => canaries.filter((one) => text.toLowerCase().includes(one))

/** Opens a page, waits for its heading and for the requests named in `answers`, and expects it to contain no canaries. */
async function look(page: Page, path: string, answers: string[] = []): Promise<void> {
  // Leaves the previous page, so that its requests are not counted as requests of this page.
  await page.goto('about:blank')
  const came = answers.map((name) => page.waitForEvent('requestfinished', (request) => request.url().includes(name)))
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await Promise.all(came)
  await expect(page.getByText(/^Loading/)).toHaveCount(0)
  expect({ path, found: found(await kept(page)) }).toEqual({ path, found: [] })
}

const tabs: ExecutionTab[] = ['timeline', 'inputs', 'waits', 'trace', 'evidence']

/** Visits all pages on which the case could appear. */
async function walk(page: Page, one: Case, auditIds: readonly string[]): Promise<void> {
  const tenant = externalId()
  await look(page, homePath(tenant))
  await look(page, approvalsPath(tenant), ['approvals.getPending'])
  await look(page, approvalPath(tenant, one.approvalId), ['approvals.get'])
  await look(page, executionsPath(tenant), ['executions.list'])
  for (const tab of tabs) await look(page, executionPath(tenant, one.executionId, { tab }), ['executions.get'])
  await look(page, tracesPath(tenant), ['traces.list'])
  await look(page, tracesPath(tenant, { text: 'geheimvogel' }), ['traces.list'])
  await look(page, tracePath(tenant, one.traceId), ['traces.getTrace'])
  for (const span of one.spanIds) await look(page, tracePath(tenant, one.traceId, { span }), ['traces.getSpan'])
  await look(page, policiesPath(tenant))
  for (const decisionId of one.decisionIds) await look(page, decisionPath(tenant, decisionId))
  await look(page, evidencePath(tenant))
  await look(page, auditPath(tenant))
  for (const auditId of auditIds) await look(page, auditRecordPath(tenant, auditId))
}

async function auditIdsOf(origin: string, one: Case): Promise<string[]> {
  const vera = await personToken(origin, 'vera')
  const ids = await Promise.all(
    [one.executionId, one.approvalId, one.receiptId].map(async (resourceId) => {
      const { items } = await call<{ items: { auditId: string }[] }>(origin, vera, 'query', 'audit.list', {
        resourceId,
        limit: 50,
      })
      return items.map(({ auditId }) => auditId)
    }),
  )
  return ids.flat()
}

for (const reader of ['jonas', 'omar', 'vera'])
  test(`${reader}, without a grant, receives no personal data on any page`, async ({ page, origin }) => {
    // Walks all pages twice, and reads every document, storage and frame on each.
    test.setTimeout(300_000)
    const one = await makeCase(origin)
    expect(one.spanIds.length).toBeGreaterThan(3)
    expect(one.decisionIds.length).toBeGreaterThan(1)
    await signIn(page, reader)
    const received = record(page)
    await walk(page, one, [])
    await decideAs(origin, 'anna', one.approvalId, 'approve', 'Order checked.')
    const maria = await personToken(origin, 'maria')
    await expect
      .poll(
        async () =>
          (await call<{ status: string }>(origin, maria, 'query', 'executions.get', { id: one.executionId })).status,
      )
      .toBe('succeeded')
    await walk(page, one, reader === 'vera' ? await auditIdsOf(origin, one) : [])
    const texts = await received()
    // The searched responses are those that the pages use.
    expect(texts.filter((text) => text.includes('pii.email')).length).toBeGreaterThan(3)
    expect(texts.filter((text) => found(text).length > 0).map((text) => text.slice(0, 300))).toEqual([])
  })

test('with a grant, personal data appears only where it is revealed, until it is masked again', async ({
  page,
  origin,
}) => {
  const one = await makeCase(origin)
  const tenant = externalId()
  await signIn(page, 'pia')
  const received = record(page)
  await look(page, tracePath(tenant, one.traceId), ['traces.getTrace'])
  const grid = page.getByRole('treegrid', { name: 'Spans of the trace' })
  await grid.getByRole('row', { name: 'execute_tool lookup_order' }).click()
  const detail = page.getByRole('complementary', { name: 'Selected span' })
  await detail.getByRole('button', { name: 'Reveal masked values' }).click()
  const dialog = page.getByRole('dialog', { name: 'Reveal masked values' })
  await dialog.getByLabel('Purpose').fill('Customer complaint')
  await dialog.getByLabel(/^Justification/).fill('The customer says that she never gave this address.')
  await dialog.getByRole('button', { name: 'Reveal for 15 minutes' }).click()
  await expect(detail).toContainText(answered)
  expect(found(await kept(page))).toEqual([answered])
  expect(found((await received()).join('\n'))).toContain(answered)
  // It appears nowhere else in the document, in its attributes or in storage.
  const outside = await page.evaluate(() => {
    const copy = document.documentElement.cloneNode(true)
    if (!(copy instanceof Element)) throw new Error('The document lacks an element.')
    const panes = copy.querySelectorAll('aside[aria-label="Selected span"]')
    for (const pane of panes) pane.remove()
    return { panes: panes.length, html: copy.outerHTML }
  })
  expect(outside.panes).toBe(1)
  expect(found(outside.html)).toEqual([])
  await page.reload()
  await expect(grid).toBeVisible()
  expect(found(await kept(page))).toEqual([])
})
