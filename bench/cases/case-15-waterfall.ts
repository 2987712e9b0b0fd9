import { dirname, join } from 'node:path'
import type { Page } from '@playwright/test'
import { newTraceId } from '#server/kernel/ids.ts'
import type { TestApi } from '#server/testing/api.ts'
import { otlpRequests, sampleSpans } from '#server/testing/sample-spans.ts'
import { isBuilt } from '../../cli/build-console.mjs'
import { startChild } from '../child.ts'
import { openChromium, signInAt, within } from '../chromium.ts'
import { mainThread, scrollFrames } from '../frames.ts'
import { median } from '../measure.ts'
import { isQuiet } from '../procfs.ts'
import { type Figure, figure, number } from '../report.ts'
import { inboxOnScreen } from './case-15-inbox.ts'
import { liveOnScreen } from './case-15-live.ts'

const traces = [
  { count: 10_000, limitMs: 1000 },
  { count: 50_000, limitMs: 1500 },
]
const nodeLimit = 800
const selectLimitMs = 100
const scrollLimit = 1.3
const clicks = 10

/**
 * The results of one visit to a page, in milliseconds: until the first rows, between frames while scrolling, and the CPU time
 * of the page's main thread for both, which does not depend on how busy the machine is.
 */
type Visit = {
  firstRowsMs: number
  firstRowsCpuMs: number
  frameMs: number
  frameCpuMs: number
  nodes: number
  selectMs: number[]
}

/** A trace on screen, in a real browser: the whole page with sign-in, stream and details, compared with a bare list. */
export async function waterfall(api: TestApi, rounds: number): Promise<Figure[]> {
  if (!isBuilt()) return [figure({ case: 15, job: 'a trace on screen', ours: 'SKIP(no build)' })]
  const environment = {
    PORT: '0',
    DATABASE_URL: api.ownerUrl,
    DATA_DIR: join(dirname(api.gate), 'data'),
    // Two servers with one database share one rate limit: with the usual limit, the other server would use all of it.
    RATE_LIMIT_PER_MINUTE: '1000000',
    TOKEN_RATE_LIMIT_PER_MINUTE: '1000000',
  }
  const quiet = await isQuiet()
  const server = await startChild('cli/start.mjs', environment, /^Countersign is ready at (\S+)/)
  const bare = await startChild('bench/peers/bare-list.ts')
  const browser = await openChromium()
  try {
    const session = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const page = await session.newPage()
    await signInAt(page, server.address, api, 'maria')
    const stranger = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const list = await stranger.newPage()
    const figures: Figure[] = []
    for (const { count, limitMs } of traces) {
      const traceId = await send(api, count)
      const ours = `${server.address}/t/${api.credentials.tenants[0]?.externalId}/traces/${traceId}`
      const theirs = `${bare.address}/?count=${count}`
      const found: { ours: Visit[]; peer: Visit[] } = { ours: [], peer: [] }
      // The first visit of each fills the browser's cache.
      await visit(list, theirs, '#list')
      await visit(page, ours, '[role=treegrid]')
      for (let round = 0; round < rounds; round++) {
        found.peer.push(await visit(list, theirs, '#list'))
        found.ours.push(await visit(page, ours, '[role=treegrid]'), await visit(page, ours, '[role=treegrid]'))
        found.peer.push(await visit(list, theirs, '#list'))
      }
      figures.push(...lines(count, limitMs, found, quiet && (await isQuiet())))
    }
    figures.push(await liveOnScreen(api, page, server.address, quiet))
    figures.push(...(await inboxOnScreen(api, await browser.newPage(), server.address, quiet)))
    return figures
  } finally {
    await browser.close()
    await bare.stop()
    await server.stop()
  }
}

/** Sends the sample trace as an exporter would; returns its id. */
async function send(api: TestApi, count: number): Promise<string> {
  const traceId = newTraceId()
  const token = await api.client('telemetry')
  for (const body of otlpRequests(traceId, sampleSpans(count), Date.now() - count)) {
    const headers = { 'content-type': 'application/json' }
    const answer = await api.request(token, '/v1/traces', { method: 'POST', headers, body })
    if (answer.status !== 200) throw new Error(`The spans were refused: ${answer.status} ${answer.text}`)
  }
  return traceId
}

const visit = (page: Page, address: string, list: string): Promise<Visit> =>
  within(`${address} did not show its rows and scroll`, measureVisit(page, address, list))

async function measureVisit(page: Page, address: string, list: string): Promise<Visit> {
  // The browser draws frames of the front page only.
  await page.bringToFront()
  // Blank first, so that each visit starts in a fresh page.
  await page.goto('about:blank')
  const cpu = await mainThread(page)
  const before = await cpu()
  await page.goto(address, { waitUntil: 'commit' })
  const firstRowsMs = await page.evaluate(firstRows)
  const shown = await cpu()
  await page.waitForLoadState('networkidle')
  // Each frame jumps by ten rows.
  const { frameMs, frameCpuMs } = await scrollFrames(page, list, 260)
  const nodes = await page.locator('*').count()
  const selectMs = list === '#list' ? [] : await selectSpans(page)
  // A new browser process counts from zero.
  return { firstRowsMs, firstRowsCpuMs: shown < before ? shown : shown - before, frameMs, frameCpuMs, selectMs, nodes }
}

/** In the page: milliseconds from the start of the navigation to the frame after rows were added to the document. */
function firstRows(): Promise<number> {
  return new Promise((resolve) => {
    const look = () => {
      if (document.querySelector('[role=row][data-place], #rows > [role=row]') === null) return false
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))
      return true
    }
    if (look()) return
    const observer = new MutationObserver(() => look() && observer.disconnect())
    observer.observe(document, { subtree: true, childList: true })
  })
}

/** In the page: the first rows that are fully visible below the head of the list, and a point on each. */
function rowsInView(count: number): { place: string; x: number; y: number }[] {
  const grid = document.querySelector('[role=treegrid]')?.getBoundingClientRect()
  if (grid === undefined) throw new Error('The list was not found.')
  return [...document.querySelectorAll<HTMLElement>('[role=row][data-place]')]
    .map((row) => ({ place: row.dataset.place ?? '', box: row.getBoundingClientRect() }))
    .filter(({ box }) => box.top >= grid.top + 2 * box.height && box.bottom <= grid.bottom)
    .sort((one, other) => one.box.top - other.box.top)
    .slice(0, count)
    .map(({ place, box }) => ({ place, x: box.left + box.width / 3, y: box.top + box.height / 2 }))
}

/** Milliseconds from each of ten clicks to the next frame with its effect, as the browser measures interactions. */
async function selectSpans(page: Page): Promise<number[]> {
  await page.evaluate(() => {
    const times: number[] = []
    Object.assign(window, { selections: times })
    // From the Event Timing API, which the library's types lack.
    const interactions = { type: 'event', durationThreshold: 16 }
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) if (name === 'click') times.push(duration)
    }).observe(interactions)
  })
  // Visible rows only, so that a click never scrolls.
  for (const { place, x, y } of await page.evaluate(rowsInView, clicks)) {
    await page.mouse.click(x, y)
    await page.locator(`[role=row][aria-selected=true][data-place="${place}"]`).waitFor()
  }
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100))))
  return await page.evaluate(() => ('selections' in window ? (window.selections as number[]) : []))
}

function lines(
  count: number,
  limitMs: number,
  { ours, peer }: { ours: Visit[]; peer: Visit[] },
  quiet: boolean,
): Figure[] {
  const job = `a trace of ${count.toLocaleString('en')} spans`
  const of = (visits: Visit[], field: Exclude<keyof Visit, 'selectMs'>) => median(visits.map((visit) => visit[field]))
  const ratio = (field: 'firstRowsMs' | 'frameMs') => of(ours, field) / of(peer, field)
  const [first, select] = [of(ours, 'firstRowsMs'), Math.max(...ours.flatMap((visit) => visit.selectMs), 0)]
  const nodes = Math.max(...ours.map((visit) => visit.nodes))
  const met = (holds: boolean) => (quiet ? (holds ? 'yes' : 'no') : '?')
  const note = quiet ? '' : 'other programs were busy: absolute times mean little'
  return [
    figure({
      case: 15,
      job: `${job}: first rows`,
      ours: `${number(first)} ms`,
      peer: `${number(of(peer, 'firstRowsMs'))} ms`,
      ratio: `${number(ratio('firstRowsMs'))}×`,
      target: `≤ ${limitMs} ms`,
      met: met(first <= limitMs),
      note: `${number(of(ours, 'firstRowsCpuMs'))} and ${number(of(peer, 'firstRowsCpuMs'))} CPU ms on the page's main thread`,
      data: { ours, peer },
    }),
    figure({
      case: 15,
      job: `${job}: scroll frame p95`,
      ours: `${number(of(ours, 'frameMs'))} ms`,
      peer: `${number(of(peer, 'frameMs'))} ms`,
      ratio: `${number(ratio('frameMs'))}×`,
      target: `≤ ${scrollLimit}×`,
      met: ratio('frameMs') <= scrollLimit ? 'yes' : 'no',
      note: `${number(of(ours, 'frameCpuMs'))} and ${number(of(peer, 'frameCpuMs'))} CPU ms a frame`,
    }),
    figure({
      case: 15,
      job: `${job}: span select, slowest`,
      ours: select === 0 ? '< 16 ms' : `${number(select)} ms`,
      target: `≤ ${selectLimitMs} ms`,
      met: met(select <= selectLimitMs),
      note,
    }),
    figure({
      case: 15,
      job: `${job}: nodes in the document`,
      ours: String(nodes),
      peer: String(of(peer, 'nodes')),
      target: `≤ ${nodeLimit}`,
      met: nodes <= nodeLimit ? 'yes' : 'no',
    }),
  ]
}
