import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedDatabase } from '#server/kernel/db/embedded.ts'
import { exitAfterOutput } from '../cli/exit-after-output.mjs'
import { serverMemory } from '../cli/server-memory.mjs'
import { values } from './arguments.mjs'
import { tokenOfKeycloak } from './cases/case-01-keycloak.ts'
import { token } from './cases/case-01-token.ts'
import { queryThroughNext } from './cases/case-02-next.ts'
import { query } from './cases/case-02-query.ts'
import { policy } from './cases/case-03-policy.ts'
import { spansOfCollector } from './cases/case-04-collector.ts'
import { telemetry } from './cases/case-04-telemetry.ts'
import { liveSpan } from './cases/case-05-live-span.ts'
import { executionOfDbos } from './cases/case-06-dbos.ts'
import { execution } from './cases/case-06-execution.ts'
import { manyExecutions } from './cases/case-06-many.ts'
import { inputEvents } from './cases/case-07-input.ts'
import { decision } from './cases/case-08-decide.ts'
import { audit } from './cases/case-09-audit.ts'
import { merkle } from './cases/case-10-merkle.ts'
import { evidence } from './cases/case-11-export.ts'
import { exportMemory } from './cases/case-11-memory.ts'
import { verification } from './cases/case-12-verify.ts'
import { lists } from './cases/case-13-lists.ts'
import { javascript } from './cases/case-14-javascript.ts'
import { waterfall } from './cases/case-15-waterfall.ts'
import { coldStart } from './cases/case-16-start.ts'
import { box } from './cases/case-17-box.ts'
import { growth } from './cases/case-18-growth.ts'
import { stopChildren } from './child.ts'
import { counters } from './counters.ts'
import { startInstalled } from './installed.ts'
import { openLab } from './lab.ts'
import { comparer, type Pace } from './measure.ts'
import { writePage } from './page.ts'
import { isQuiet, settled } from './procfs.ts'
import { type Figure, figure, printTable, saveResults } from './report.ts'

const pace: Pace = {
  rounds: Number(values.rounds ?? (values.full ? 5 : 3)),
  segmentMs: Number(values['segment-ms'] ?? (values.full ? 3000 : 600)),
  full: values.full,
}
const only = values.only?.split(',')
const say = (line: string) => process.stdout.write(`${line}\n`)
const figures: Figure[] = []

async function run(name: string, work: () => Promise<Figure[]> | Figure[]): Promise<void> {
  if (wanted(name)) await attempt(name, work)
}

/** `1-keycloak` is run by that name, and with the case 1 if rivals are wanted at all: what they need is installed at that time. */
async function runRival(name: string, work: () => Promise<Figure[]>): Promise<void> {
  const ofItsCase = (values.rivals || values.full) && wanted(String(Number.parseInt(name, 10)))
  if (ofItsCase || only?.includes(name) === true) await attempt(name, work)
}

/** A case that throws becomes a line of the table; the others continue. */
async function attempt(name: string, work: () => Promise<Figure[]> | Figure[]): Promise<void> {
  const since = performance.now()
  try {
    figures.push(...(await work()))
  } catch (error) {
    process.exitCode = 1
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
    figures.push(figure({ case: Number.parseInt(name, 10) || 0, job: name, ours: 'FAILED', note: String(error) }))
  }
  say(`… ${name} (${Math.round((performance.now() - since) / 1000)} s)`)
}
const wanted = (...names: string[]) => only === undefined || names.some((name) => only.includes(name))

const began = performance.now()
const quiet = await isQuiet()
const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
// As root, the server uses another account, which needs access to this folder.
await chmod(folder, 0o711)
const database = await openEmbeddedDatabase({ dataDir: folder, say: () => undefined })
process.env.TEST_DATABASE_URL = database.ownerUrl
try {
  const postmaster = Number((await readFile(join(database.directory, 'postmaster.pid'), 'utf8')).split('\n', 1)[0])
  const compare = comparer(postmaster, pace)
  if (wanted('1', '1-keycloak', '2', '2-next', '4', '4-collector', '5', '7', '15', '16')) {
    const { environment, options } = serverMemory
    const api = await startInstalled({ NODE_ENV: 'production', ...environment, NODE_OPTIONS: options.join(' ') })
    const pid = api.process.pid ?? 0
    try {
      // The demo's first execution must not be charged to the first case.
      await settled([pid])
      await run('1', () => token(api, pid, compare))
      await runRival('1-keycloak', () => tokenOfKeycloak(api, pid, compare))
      await run('2', () => query(api, pid, compare))
      await runRival('2-next', () => queryThroughNext(api, pid, compare))
      await run('4', () => telemetry(api, pid, compare))
      await runRival('4-collector', () => spansOfCollector(api, pid, compare))
      await run('5', () => liveSpan(api, pid, compare))
      await run('7', () => inputEvents(api, pid, compare))
      // The browser cases take minutes, so they run only on request.
      if (pace.full || only?.includes('15')) await run('15', () => waterfall(api, pace.full ? 5 : 1))
      await run('16', () => coldStart(api, pace.full || values.page || only?.includes('16') === true))
    } finally {
      await api.close()
    }
  }
  if (wanted('3', '6', '6-dbos', '6-many', '8', '9', '10', '12', '13', 'growth')) {
    const lab = await openLab()
    try {
      await run('3', () => policy(lab, compare))
      await run('6', () => execution(lab, compare))
      await runRival('6-dbos', () => executionOfDbos(lab, compare))
      // With `--only` the case uses fewer rows: creating a million takes minutes.
      const size = pace.full ? { finished: 1_000_000, waiting: 100_000 } : { finished: 100_000, waiting: 10_000 }
      if (pace.full || only?.includes('6-many') === true)
        await run('6-many', () => manyExecutions(lab, postmaster, { ...size, segmentMs: pace.segmentMs * 2 }))
      await run('8', () => decision(lab, compare))
      await run('9', () => audit(lab, compare))
      await run('10', () => merkle(lab, postmaster, compare, pace.full))
      await run('12', () => verification(lab, compare, pace.full ? 100_000 : 4_000))
      if (pace.full || only?.includes('growth') === true)
        await run('growth', () => growth(lab, postmaster, pace.full ? 1_000_000 : 100_000))
      await run('13', () => lists(lab, compare, pace.full ? 1_000_000 : 10_000))
    } finally {
      await lab.close()
    }
  }
  await run('11', () => evidence(compare, pace.full ? 200_000 : 4_000))
  // A gigabyte takes seconds and much disk space, so this runs only on request.
  if (pace.full || only?.includes('11-memory')) await run('11-memory', () => exportMemory([0.1, 1]))
  // Minutes of load, and a gigabyte: only on request, too.
  if (pace.full || values.page || only?.includes('box')) await run('box', () => box(postmaster))
  await run('14', javascript)
  await run('counters', counters)
} finally {
  await stopChildren()
  await database.release()
  await rm(folder, { recursive: true, force: true })
}

figures.sort((a, b) => a.case - b.case)
printTable(figures)
say(
  `\nAt most ${pace.rounds} rounds of ${pace.segmentMs} ms segments, ${Math.round((performance.now() - began) / 1000)} s in all.`,
)
if (!quiet)
  say('The machine was not idle at the start: read the ratios with their spreads, and ignore absolute figures.')
const { path, run: measured } = await saveResults(figures, pace, quiet)
say(`Results: ${path}`)
if (values.page) await writePage(measured)
await exitAfterOutput(process.exitCode ?? 0)
