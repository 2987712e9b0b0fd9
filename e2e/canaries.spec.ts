import type { Page } from '@playwright/test'
import {
  approvalPath,
  approvalsPath,
  auditPath,
  auditRecordPath,
  decisionPath,
  evidencePath,
  executionPath,
  executionsPath,
  homePath,
  policiesPath,
  tracePath,
  tracesPath,
} from '#lib/paths.ts'
import { call, clientToken, decideAs, externalId, personToken } from './cases.ts'
import { expect, test } from './fixtures.ts'

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

/** Waits until the page is loaded, and requires that no canary is in it or stored. `what` names the page in a failure. */
async function search(page: Page, what: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByText(/^Loading/)).toHaveCount(0)
  expect({ what, found: found(await kept(page)) }).toEqual({ what, found: [] })
}

const requested = (page: Page, name: string) =>
  page.waitForEvent('requestfinished', (request) => request.url().includes(name))

/** Loads the document of a page, waits for `answers`, and searches it. */
async function look(page: Page, path: string, answers: string[] = []): Promise<void> {
  // Leaves the page before, so that none of its requests counts as one of this page.
  await page.goto('about:blank')
  const came = answers.map((name) => requested(page, name))
  await page.goto(path)
  await Promise.all(came)
  await search(page, path)
}

/** All pages that show an approval, its execution and its trace. */
async function walkCase(page: Page, one: Case): Promise<void> {
  const tenant = externalId()
  await look(page, homePath(tenant))
  await look(page, approvalsPath(tenant), ['approvals.getPending'])
  await look(page, approvalPath(tenant, one.approvalId), ['approvals.get'])
  await look(page, executionsPath(tenant), ['executions.list'])
  await look(page, executionPath(tenant, one.executionId), ['executions.get'])
  const views = page.getByRole('navigation', { name: 'Views of the execution' }).getByRole('link')
  for (const view of await views.all()) {
    await view.click()
    await expect(view).toHaveAttribute('aria-current', 'page')
    await search(page, page.url())
  }
  await look(page, tracePath(tenant, one.traceId), ['traces.getTrace'])
  const grid = page.getByRole('treegrid', { name: 'Spans of the trace' })
  const spans = Number(await grid.getAttribute('aria-rowcount')) - 1
  expect(spans).toBeGreaterThan(3)
  for (let place = 0; place < spans; place++) {
    const came = requested(page, 'traces.getSpan')
    await grid.press(place === 0 ? 'Home' : 'ArrowDown')
    await came
    await search(page, `span ${place} of ${page.url()}`)
  }
}

/** All other pages on which the case could show. */
async function walkLists(page: Page, one: Case, auditIds: readonly string[]): Promise<void> {
  const tenant = externalId()
  await look(page, tracesPath(tenant), ['traces.list'])
  await look(page, tracesPath(tenant, { text: 'geheimvogel' }), ['traces.list'])
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

test('Jonas, Omar and Vera, without a grant, receive no personal data on any page', async ({ signedIn, origin }) => {
  // Reads every document, storage and frame of three people on each page.
  test.setTimeout(300_000)
  const one = await makeCase(origin)
  expect(one.decisionIds.length).toBeGreaterThan(1)
  const readers = await Promise.all(
    ['jonas', 'omar', 'vera'].map(async (reader) => {
      const page = await signedIn(reader)
      return { reader, page, received: record(page) }
    }),
  )
  await Promise.all(readers.map(({ page }) => walkCase(page, one)))
  await decideAs(origin, 'anna', one.approvalId, 'approve', 'Order checked.')
  const maria = await personToken(origin, 'maria')
  await expect
    .poll(
      async () =>
        (await call<{ status: string }>(origin, maria, 'query', 'executions.get', { id: one.executionId })).status,
    )
    .toBe('succeeded')
  const auditIds = await auditIdsOf(origin, one)
  await Promise.all(
    readers.map(async ({ reader, page }) => {
      await walkCase(page, one)
      await walkLists(page, one, reader === 'vera' ? auditIds : [])
    }),
  )
  for (const { reader, received } of readers) {
    const texts = await received()
    // The searched responses are those that the pages use.
    expect(texts.filter((text) => text.includes('pii.email')).length, reader).toBeGreaterThan(3)
    expect(
      texts.filter((text) => found(text).length > 0).map((text) => text.slice(0, 300)),
      reader,
    ).toEqual([])
  }
})

test('with a grant, personal data appears only where it is revealed, until it is masked again', async ({
  signedIn,
  origin,
}) => {
  const one = await makeCase(origin)
  const tenant = externalId()
  const page = await signedIn('pia')
  const received = record(page)
  await look(page, tracePath(tenant, one.traceId), ['traces.getTrace'])
  const grid = page.getByRole('treegrid', { name: 'Spans of the trace' })
  await grid.getByRole('row', { name: 'execute_tool lookup_order' }).click()
  const detail = page.getByRole('complementary', { name: 'Selected span' })
  await detail.getByRole('button', { name: 'Reveal masked values' }).click()
  const dialog = page.getByRole('dialog', { name: 'Reveal masked values' })
  await dialog.getByRole('checkbox', { name: 'Every masked value of this trace' }).check()
  await dialog.getByLabel('Purpose').fill('Customer complaint')
  await dialog.getByLabel(/^Justification/).fill('The customer says that she never gave this address.')
  await dialog.getByRole('button', { name: 'Reveal for 15 minutes' }).click()
  await expect(detail).toContainText(answered)
  expect(found(await kept(page))).toEqual([answered])
  expect(found((await received()).join('\n'))).toContain(answered)
  // Nowhere else in the document, in no attribute and in no storage.
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
