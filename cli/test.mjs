#!/usr/bin/env node
// `npm test`: types, lint, unit and integration tests on a real PostgreSQL, then a real browser on the production build.
// Ends with one line that counts.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBrowser } from './browser.mjs'
import { continueOnPinnedNode } from './pinned-node.mjs'

await continueOnPinnedNode()

const root = join(import.meta.dirname, '..')
const scratch = mkdtempSync(join(tmpdir(), 'countersign-npm-test-'))
const total = { passed: 0, failed: 0 }

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

/** A runner that broke before it wrote its report has failed as a whole. */
function read(file, counts, ok) {
  try {
    const [passed, failed] = counts(JSON.parse(readFileSync(file, 'utf8')))
    count(passed, failed === 0 && !ok ? 1 : failed)
  } catch {
    count(0, 1)
  }
}

const one = (ok) => count(ok ? 1 : 0, ok ? 0 : 1)

one(run('types', 'typescript/bin/tsc', ['--noEmit', '-p', '.']))
one(run('lint', '@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.']))

const unit = join(scratch, 'vitest.json')
const unitOk = run('unit and integration', 'vitest/vitest.mjs', [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${unit}`,
])
read(unit, (report) => [report.numPassedTests, report.numFailedTests], unitOk)

const browser = findBrowser()
if (browser === undefined) {
  process.stdout.write('\nNo browser: install Chromium, or set CHROMIUM_PATH, and run npm test again.\n')
  count(0, 1)
} else {
  const e2e = join(scratch, 'playwright.json')
  const e2eOk = run('browser', '@playwright/test/cli.js', ['test'], {
    CHROMIUM_PATH: browser,
    PLAYWRIGHT_JSON_OUTPUT_NAME: e2e,
  })
  read(e2e, ({ stats }) => [stats.expected + stats.flaky, stats.unexpected], e2eOk)
}

rmSync(scratch, { recursive: true, force: true })
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`)
process.exit(total.failed === 0 ? 0 : 1)
