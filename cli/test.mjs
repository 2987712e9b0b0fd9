#!/usr/bin/env node
// `npm test`: types and lint, unit and integration tests on a real PostgreSQL, and a real browser on the production build, all at
// once, because none of them keeps two cores busy. `--all` adds the long suites (long-suites.mjs). Ends with the time of each
// phase, for information, and one line that counts.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { getPriority, setPriority, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { readArguments } from './arguments/read-arguments.mjs'
import { findBrowser } from './browser.mjs'
import { exitAfterOutput } from './exit-after-output.mjs'
import { continueOnPinnedNode } from './pinned-node.mjs'
import { playwrightCounts, playwrightTimes } from './reports/playwright.mjs'
import { runStep } from './run-step.mjs'

const { values } = readArguments(
  'npm test -- [--all]\n\n--all adds the long suites. For one file: npx vitest run <file>',
  {
    options: { all: { type: 'boolean' } },
  },
)
await continueOnPinnedNode()

// The server makes archives at priority 10. At their usual priority, the browser and the other suites would leave them a tenth of a busy
// machine, and tests of archives would reach their time limits.
const slightlyAbove = 9
if (getPriority() < slightlyAbove) setPriority(slightlyAbove)

process.env.LONG_SUITES = values.all === true ? 'on' : 'off'
// As playwright.config.ts: in all languages, so that the build and the browser tests agree.
process.env.CONSOLE_LANGUAGES ??= 'en,de,en-XA'

const root = join(import.meta.dirname, '..')
const scratch = mkdtempSync(join(tmpdir(), 'countersign-npm-test-'))
const total = { passed: 0, failed: 0 }
/** The failures, which are repeated at the end, because the output of the runners has thousands of lines. */
const failures = []
const times = []
/** Milliseconds of each test file. */
const files = []
const slowest = 20

async function phase(name, work) {
  process.stdout.write(`\n— ${name}\n`)
  const began = performance.now()
  await work()
  times.push(`${name} ${seconds(began)} s`)
}

const seconds = (began) => Math.round((performance.now() - began) / 1000)

const run = (script, args, options = {}) =>
  runStep([join(root, script), ...args], {
    cwd: root,
    ...options,
    env: { NEXT_TELEMETRY_DISABLED: '1', ...options.env },
  })

function count(passed, failed) {
  total.passed += passed
  total.failed += failed
}

/** A runner that ended before it wrote its report has failed as a whole. */
function read(name, file, counts, ok) {
  try {
    const { passed, failed, causes, took } = counts(JSON.parse(readFileSync(file, 'utf8')))
    const whole = failed === 0 && !ok
    files.push(...took)
    count(passed, whole ? 1 : failed)
    failures.push(...causes, ...(whole ? [`${name}: the run as a whole`] : []))
  } catch {
    count(0, 1)
    failures.push(`${name}: the report is missing`)
  }
}

/** A step that passes or fails as a whole. Its output is written at its end, because another step may run in parallel. */
async function check(name, script, args) {
  const { ok, output } = await run(script, args, { capture: true })
  process.stdout.write(output)
  count(ok ? 1 : 0, ok ? 0 : 1)
  if (!ok) failures.push(name)
  return ok
}

/** The first lines of a test's error, without colours. */
const cause = (message = '') => stripVTControlCharacters(message).split('\n').slice(0, 6).join('\n    ')

/** A file that could not be read or set up counts as one failure, however many tests it contains. */
function fromVitest({ numPassedTests: passed, testResults }) {
  const causes = testResults.flatMap(({ name, message, assertionResults }) => {
    const file = relative(root, name)
    const failed = assertionResults.filter(({ status }) => status === 'failed')
    if (failed.length === 0 && message) return [`${file}\n    ${cause(message)}`]
    return failed.map(({ fullName, failureMessages }) => `${file} › ${fullName}\n    ${cause(failureMessages[0])}`)
  })
  const took = testResults.map(({ name, startTime, endTime }) => [relative(root, name), endTime - startTime])
  return { passed, failed: causes.length, causes, took }
}

function fromPlaywright(report) {
  const causes = playwrightCounts(report).causes.map(({ title, message }) => `${title}\n    ${cause(message)}`)
  return { passed: report.stats.expected, failed: causes.length, causes, took: playwrightTimes(report) }
}

// Before any suite starts: some of the others open a page, too.
const browser = findBrowser()

async function typesAndLint() {
  await Promise.all([
    check('types', 'node_modules/typescript/bin/tsc', ['--noEmit', '-p', '.']),
    check('lint', 'node_modules/@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.']),
  ])
}

async function unit() {
  const report = join(scratch, 'vitest.json')
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { ok } = await run('node_modules/vitest/vitest.mjs', args)
  read('unit and integration', report, fromVitest, ok)
}

/** The output of the browser tests is written at their end: that of the unit tests is written at the same time. */
async function browserTests() {
  if (browser === undefined) {
    process.stdout.write('\nChromium was not found. Install it or set CHROMIUM_PATH, and run npm test again.\n')
    count(0, 1)
    failures.push('browser: not found')
    return
  }
  let built = false
  await phase('build', async () => {
    built = await check('build', 'cli/build.mjs', [])
  })
  // Without a build every browser test would wait for a server that can't start.
  if (!built) return
  await phase('browser', async () => {
    const report = join(scratch, 'playwright.json')
    const env = { CHROMIUM_PATH: browser, PLAYWRIGHT_JSON_OUTPUT_NAME: report }
    const { ok, output } = await run('node_modules/@playwright/test/cli.js', ['test'], { env, capture: true })
    process.stdout.write(output)
    read('browser', report, fromPlaywright, ok)
  })
}

await Promise.all([phase('types and lint', typesAndLint), phase('unit and integration', unit), browserTests()])

rmSync(scratch, { recursive: true, force: true })
const longest = files.toSorted(([, one], [, other]) => other - one).slice(0, slowest)
process.stdout.write(`\nThe ${longest.length} slowest test files, while others ran:\n`)
for (const [file, took] of longest) process.stdout.write(`  ${Math.round(took / 1000)} s  ${file}\n`)
for (const failure of failures) process.stdout.write(`\nFAILED ${failure}\n`)
process.stdout.write(`\n${times.join(', ')}; together ${seconds(0)} s\n`)
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`)
await exitAfterOutput(total.failed === 0 ? 0 : 1)
