#!/usr/bin/env node
// `npm test`: types, lint, unit and integration tests on a real PostgreSQL, then a real browser on the production build.
// Ends with one line of counts.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { findBrowser } from './browser.mjs'
import { continueOnPinnedNode } from './pinned-node.mjs'

await continueOnPinnedNode()

const root = join(import.meta.dirname, '..')
const scratch = mkdtempSync(join(tmpdir(), 'countersign-npm-test-'))
const total = { passed: 0, failed: 0 }
/** Failures, repeated at the end because the runners' messages are thousands of lines above. */
const failures = []
/** Browser tests that passed only on the second try: each is a defect of the page or of the test. */
const flaky = []

function run(name, script, args, env = {}) {
  process.stdout.write(`\n— ${name}\n`)
  const result = spawnSync(process.execPath, [join(root, 'node_modules', script), ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...env },
  })
  return result.status === 0
}

function count(passed, failed) {
  total.passed += passed
  total.failed += failed
}

/** A runner that ended before it wrote its report has failed as a whole. */
function read(name, file, counts, ok) {
  try {
    const { passed, failed, told } = counts(JSON.parse(readFileSync(file, 'utf8')))
    const whole = failed === 0 && !ok
    count(passed, whole ? 1 : failed)
    failures.push(...told, ...(whole ? [`${name}: the run as a whole`] : []))
  } catch {
    count(0, 1)
    failures.push(`${name}: the report is missing`)
  }
}

function check(name, script, args) {
  const ok = run(name, script, args)
  count(ok ? 1 : 0, ok ? 0 : 1)
  if (!ok) failures.push(name)
}

/** The first lines of a test's error, without colours. */
const cause = (message = '') => stripVTControlCharacters(message).split('\n').slice(0, 6).join('\n    ')

/** A file that could not be read or set up counts as one failure, however many tests it contains. */
function fromVitest({ numPassedTests: passed, testResults }) {
  const told = testResults.flatMap(({ name, message, assertionResults }) => {
    const file = relative(root, name)
    const failed = assertionResults.filter(({ status }) => status === 'failed')
    if (failed.length === 0 && message) return [`${file}\n    ${cause(message)}`]
    return failed.map(({ fullName, failureMessages }) => `${file} › ${fullName}\n    ${cause(failureMessages[0])}`)
  })
  return { passed, failed: told.length, told }
}

const specsOf = ({ specs = [], suites = [] }) => [...specs, ...suites.flatMap(specsOf)]
function fromPlaywright({ stats, suites }) {
  const toldOf = ({ file, line, title, tests }) => {
    const { error } = tests.flatMap(({ results }) => results).find((result) => result.error) ?? {}
    return `e2e/${file}:${line} › ${title}\n    ${cause(error?.message)}`
  }
  const specs = suites.flatMap(specsOf)
  flaky.push(...specs.filter(({ tests }) => tests.some(({ status }) => status === 'flaky')).map(toldOf))
  return {
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected,
    told: specs.filter(({ ok }) => !ok).map(toldOf),
  }
}

check('types', 'typescript/bin/tsc', ['--noEmit', '-p', '.'])
check('lint', '@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.'])

const unit = join(scratch, 'vitest.json')
const unitOk = run('unit and integration', 'vitest/vitest.mjs', [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${unit}`,
])
read('unit and integration', unit, fromVitest, unitOk)

const browser = findBrowser()
if (browser === undefined) {
  process.stdout.write('\nChromium was not found. Install it or set CHROMIUM_PATH, and run npm test again.\n')
  count(0, 1)
  failures.push('browser: not found')
} else {
  const e2e = join(scratch, 'playwright.json')
  const e2eOk = run('browser', '@playwright/test/cli.js', ['test'], {
    CHROMIUM_PATH: browser,
    PLAYWRIGHT_JSON_OUTPUT_NAME: e2e,
  })
  read('browser', e2e, fromPlaywright, e2eOk)
}

rmSync(scratch, { recursive: true, force: true })
for (const test of flaky) process.stdout.write(`\nFLAKY (passed on the second try) ${test}\n`)
for (const failure of failures) process.stdout.write(`\nFAILED ${failure}\n`)
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`)
process.exit(total.failed === 0 ? 0 : 1)
