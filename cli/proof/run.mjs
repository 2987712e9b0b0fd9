import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Runs suites one after the other and prints what each of them counted. A suite is `{ name, missing?, run }`: `missing` gives
 * the program that the suite needs and this machine does not have, `run` gives `{ passed, failed, lines? }`. A suite that passed is
 * noted in the state file with the digest of the source, and is not run again until the source changes.
 */
export async function runSuites({ suites, digest, stateFile, fresh, say }) {
  const done = readState(stateFile, digest)
  if (fresh) for (const { name } of suites) delete done[name]
  // Before the first suite: an interrupted run that started over must not count earlier results when it continues.
  writeState(stateFile, { digest, done })
  const total = { passed: 0, failed: 0, skipped: 0 }
  const table = []
  for (const { name, missing, run } of suites) {
    const lacking = missing?.()
    if (lacking !== undefined) {
      total.skipped += 1
      table.push(`${name}: skipped, because ${lacking} is not installed`)
      continue
    }
    const known = done[name]
    if (known === undefined) say(`\n— ${name}`)
    const began = performance.now()
    const { passed, failed, seconds, lines = [] } = known ?? (await counted(run))
    const result = { passed, failed, seconds: seconds ?? Math.round((performance.now() - began) / 1000) }
    if (failed === 0) done[name] = result
    else delete done[name]
    writeState(stateFile, { digest, done })
    total.passed += passed
    total.failed += failed
    const from = known === undefined ? '' : ', from an earlier run on the same source'
    table.push(
      `${name}: ${passed} passed, ${failed} failed, ${result.seconds} s${from}`,
      ...lines.map((line) => `  ${line}`),
    )
  }
  say(`\n${table.join('\n')}`)
  say(`\n${total.passed} passed, ${total.failed} failed${total.skipped === 0 ? '' : `, ${total.skipped} skipped`}`)
  return total
}

/** A suite that breaks, or counts nothing, has failed once as a whole. */
async function counted(run) {
  try {
    const result = await run()
    if (result.passed + result.failed > 0) return result
    return { passed: 0, failed: 1, lines: ['FAILED: nothing was run'] }
  } catch (error) {
    return { passed: 0, failed: 1, lines: [`FAILED: ${error.message}`] }
  }
}

/** The suites that passed on this source. */
function readState(file, digest) {
  try {
    const state = JSON.parse(readFileSync(file, 'utf8'))
    return state.digest === digest ? state.done : {}
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return {}
    throw error
  }
}

/** Renamed into place, so that an interruption leaves the old state or the new one. */
function writeState(file, state) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.new`, JSON.stringify(state))
  renameSync(`${file}.new`, file)
}
