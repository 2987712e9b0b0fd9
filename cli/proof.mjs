#!/usr/bin/env node
// `npm run proof`: tests at full counts, and tests that need third-party programs. Suites that passed are not run again while the
// source is the same; `npm run proof -- soak` runs the suites named, `--fresh` starts over. Ends with one line that counts.
import { join } from 'node:path'
import { readArguments } from './arguments/read-arguments.mjs'
import { continueOnPinnedNode } from './pinned-node.mjs'

const { values, positionals } = readArguments(
  `npm run proof -- [--fresh] [<suite> …]

Runs tests at full counts and those that need third-party programs. Suites that passed are not run again while the source is the
same, unless they are named or with --fresh.`,
  { options: { fresh: { type: 'boolean' } }, most: Number.POSITIVE_INFINITY },
)
await continueOnPinnedNode()

const { exitAfterOutput } = await import('./exit-after-output.mjs')
const { runSuites } = await import('./proof/run.mjs')
const { digestOfSource } = await import('./proof/source.mjs')
const { suites } = await import('./proof/suites.mjs')

const unknown = positionals.filter((name) => suites.every((suite) => suite.name !== name))
if (unknown.length > 0) {
  process.stderr.write(`Unknown suite: ${unknown.join(', ')}. Suites: ${suites.map(({ name }) => name).join(', ')}.\n`)
  process.exit(2)
}
const root = join(import.meta.dirname, '..')
const { failed } = await runSuites({
  suites: positionals.length === 0 ? suites : suites.filter(({ name }) => positionals.includes(name)),
  digest: digestOfSource(root),
  stateFile: join(root, 'node_modules', '.cache', 'countersign-proof.json'),
  fresh: values.fresh === true || positionals.length > 0,
  say: (line) => process.stdout.write(`${line}\n`),
})
await exitAfterOutput(failed === 0 ? 0 : 1)
