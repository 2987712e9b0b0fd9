import { hash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import type { Coverage } from '#server/evidence/archive/coverage.ts'
import type { ClaimedExport } from '#server/evidence/jobs/export-claim.ts'
import { openChromium } from '../../../bench/chromium.ts'
import type { LeftOut } from './left-out.ts'
import { reportHtml } from './report-html.ts'
import { reportRows } from './report-rows.ts'

const hostile = `<script>document.title = 'run'</script><img src=x onerror="document.title='run'">&"'`
const inHtml = hostile.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

async function* each(...rows: object[]) {
  yield* rows
}

/** The page of an archive in which every text is `text`. */
async function pageOf(text: string, leftOut: LeftOut[] = [], approvals = 1): Promise<string> {
  const rows = reportRows()
  const files: [string, object[]][] = [
    ['members', [{ id: 'm1', displayName: text, username: 'vera' }]],
    ['agents', [{ id: 'a1', displayName: text }]],
    [
      'approvals',
      Array.from({ length: approvals }, (_, index) => ({
        state: {
          id: `p${index}`,
          kind: 'tool_call',
          status: 'approved',
          agentId: 'a1',
          requestedBy: 'm1',
          decisionId: `d${index}`,
        },
        values: { requestedAt: { salt: '', value: '2026-11-20T09:30:00.000Z' } },
      })),
    ],
    ['decisions', [{ state: { id: 'd0', resource: 'payments/refund' } }]],
    [
      'approval-votes',
      [
        {
          ...{ approvalId: 'p0', memberId: 'm1', decision: 'approve', reason: text, onBehalfOf: 'm2' },
          ...{ createdAt: new Date('2026-11-20T10:00:00Z'), confirmation: {} },
        },
      ],
    ],
  ]
  for (const [file, own] of files) for await (const _ of rows.watch(file, each(...own)));
  const run = {
    tenant: { id: 't', externalId: 'northwind', name: text },
    row: {
      id: '01900000-0000-7000-8000-000000000001',
      ...{ requestedBy: 'm1', includeRawPayloads: false, includeProofs: true, scope: null, purpose: text },
      ...{ startAt: new Date('2026-11-01T00:00:00Z'), endAt: new Date('2026-12-01T00:00:00Z') },
      createdAt: new Date('2026-11-21T00:00:00Z'),
    },
  } as unknown as ClaimedExport
  const covered = {
    period: { start: new Date('2026-11-20T00:00:00Z'), end: new Date('2026-11-21T00:00:00Z') },
    days: [
      { date: '2026-11-20', size: 57, open: false },
      { date: '2026-11-21', size: 3, open: true },
    ],
    before: { exportId: 'earlier-archive' },
  } as unknown as Coverage
  return [...reportHtml(run, covered, rows, leftOut)].join('')
}

test('states what was requested, who decided what and why, what is left out, and the days', async () => {
  const page = await pageOf('Vera Example', [{ resource: 'files', id: 'f1', reason: 'retention_expired' }])
  for (const text of [
    'Evidence of Vera Example',
    '<dt>Organisation</dt><dd>Vera Example (northwind)</dd>',
    '<dt>Requested period</dt><dd>2026-11-01 00:00 UTC to 2026-12-01 00:00 UTC</dd>',
    '<dt>Covered period</dt><dd>2026-11-20 00:00 UTC to 2026-11-21 00:00 UTC</dd>',
    '<dt>Requested by</dt><dd>Vera Example</dd>',
    '<dt>Sensitive values</dt><dd>Masked</dd>',
    '<dt>Earlier archive</dt><dd>earlier-archive</dd>',
    '<h3>Tool call of Vera Example: approved</h3>',
    '<p>payments/refund</p>',
    'Requested 2026-11-20 09:30 UTC by Vera Example',
    '<strong>Vera Example</strong> approved for m2, 2026-11-20 10:00 UTC, confirmed with a passkey.<blockquote>Vera Example</blockquote>',
    '<td>files</td><td>f1</td><td>retention expired</td>',
    '<td>2026-11-20</td><td class="number">57</td><td>Closed</td>',
    '<td>2026-11-21</td><td class="number">3</td><td>Open: more records may follow</td>',
  ])
    expect(page).toContain(text)
  expect(await pageOf('x')).toContain('Nothing: the archive contains everything in its period.')
})

test('lists a bounded number of approvals and omissions, and says how many more there are', async () => {
  const leftOut = Array.from(
    { length: 203 },
    (_, index): LeftOut => ({ resource: 'files', id: `${index}`, reason: 'erased' }),
  )
  const page = await pageOf('x', leftOut, 1004)
  expect(page.match(/<article>/g)).toHaveLength(1000)
  expect(page).toContain('4 more approvals are in data/approvals.ndjson.')
  expect(page).toContain('3 more are in data/omissions.ndjson.')
})

test('escapes hostile names, and allows its own style and nothing else', async () => {
  const page = await pageOf(hostile, [{ resource: 'files', id: hostile, reason: 'erased' }])
  // Title, heading, organisation, purpose, requester, agent, by whom, who voted and why; and the omission.
  expect(page.split(inHtml)).toHaveLength(11)
  expect(page).not.toMatch(/<script|<img|javascript:|<[^>]*\son\w+=|<link|<iframe|https?:/)
  const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(page) ?? []
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1]
  expect(policy).toBe(
    `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'none'`,
  )
})

test('prints on A4, runs no script and loads nothing in a browser', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'report-'))
  const browser = await openChromium()
  try {
    const path = join(folder, 'report.html')
    await writeFile(path, await pageOf(hostile, [], 60))
    const page = await browser.newPage()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(pathToFileURL(path).href)
    expect(await page.title()).toBe(`Evidence of ${hostile}`)
    expect(await page.locator('script, img').count()).toBe(0)
    expect(await page.getByText(hostile).count()).toBeGreaterThan(0)
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
    const boxes = [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)]
    expect(boxes.length).toBeGreaterThan(1)
    // A4 in points.
    for (const [, width, height] of boxes) {
      expect(Number(width)).toBeCloseTo(595, -0.5)
      expect(Number(height)).toBeCloseTo(842, -0.5)
    }
    expect(asked).toEqual([pathToFileURL(path).href])
  } finally {
    await browser.close()
    await rm(folder, { recursive: true })
  }
})
