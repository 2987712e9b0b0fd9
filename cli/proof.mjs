#!/usr/bin/env node
// `npm run proof`: the property tests at their full counts, on a real PostgreSQL, then a table of the results.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { continueOnPinnedNode } from './pinned-node.mjs'

await continueOnPinnedNode()

const root = join(import.meta.dirname, '..')
const scratch = mkdtempSync(join(tmpdir(), 'countersign-npm-proof-'))
const report = join(scratch, 'vitest.json')
/** The folders of the suites that generate their cases, or whose counts the product promises. */
const known = [
  'server/testing/properties/',
  'server/audit/sealing/sealer-killed',
  'server/audit/sealing/tampering',
  'server/kernel/db/tables.test.ts',
  'server/kernel/auth/',
  'server/inputs/inputs.test.ts',
]
/** `npm run proof -- soak` runs one of them. */
const asked = process.argv.slice(2)
const suites = asked.length === 0 ? known : asked

const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    ...suites,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ],
  { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, PROOF: 'full' } },
)

/** A test that does not count its cases counts as one. */
const casesOf = (test) => test.meta?.cases ?? 1
const line = (name, cases, failed, seconds) =>
  `${name.padEnd(110)} ${cases.padStart(8)} ${failed.padStart(7)} ${seconds.padStart(8)}\n`

/** One line per suite; below it one per test that generated its cases, and per failed test. */
function print({ testResults }) {
  const total = { cases: 0, failed: 0 }
  process.stdout.write(`\n${line('proof', 'cases', 'failed', 'seconds')}`)
  for (const { name, assertionResults } of testResults) {
    const rows = assertionResults.map((test) => ({
      title: [...test.ancestorTitles, test.title].join(' › ').slice(0, 108),
      cases: casesOf(test),
      failed: test.status === 'failed' ? 1 : 0,
      seconds: (test.duration ?? 0) / 1000,
      told: test.meta?.cases !== undefined || test.status === 'failed',
    }))
    const sum = (of) => rows.reduce((before, row) => before + row[of], 0)
    const write = (title, { cases, failed, seconds }) =>
      process.stdout.write(line(title, String(cases), String(failed), seconds.toFixed(1)))
    write(relative(root, name), { cases: sum('cases'), failed: sum('failed'), seconds: sum('seconds') })
    for (const row of rows) if (row.told) write(`  ${row.title}`, row)
    total.cases += sum('cases')
    total.failed += sum('failed')
  }
  process.stdout.write(line('total', String(total.cases), String(total.failed), ''))
}

try {
  print(JSON.parse(readFileSync(report, 'utf8')))
} catch (error) {
  process.stdout.write(`\nThe report could not be read: ${error.message}\n`)
}
rmSync(scratch, { recursive: true, force: true })
process.exit(status ?? 1)
