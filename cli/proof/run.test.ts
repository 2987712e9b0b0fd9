import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runSuites } from './run.mjs'

let folder: string
let ran: string[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-proof-run-'))
  ran = []
})
afterEach(() => rm(folder, { recursive: true }))

const suite = (name: string, run: () => Promise<{ passed: number; failed: number }>) => ({
  name,
  run: () => {
    ran.push(name)
    return run()
  },
})
const passing = (name: string) => suite(name, async () => ({ passed: 10, failed: 0 }))
const failing = (name: string) => suite(name, async () => ({ passed: 1, failed: 2 }))
const breaking = (name: string) => suite(name, () => Promise.reject(new Error('it broke')))

async function proof(suites: object[], { digest = 'source', fresh = false, interruptedAt = '' } = {}) {
  const lines: string[] = []
  const say = (line: string) => {
    if (line === `\n— ${interruptedAt}`) throw new Error('interrupted')
    lines.push(...line.trim().split('\n'))
  }
  const total = await runSuites({ suites, digest, fresh, say, stateFile: join(folder, 'cache', 'state.json') })
  return { lines, total, last: lines.at(-1) }
}

test('counts what all suites counted, in one last line', async () => {
  const { last, total } = await proof([passing('one'), failing('two'), breaking('three')])
  expect(last).toBe('11 passed, 3 failed')
  expect(total).toEqual({ passed: 11, failed: 3, skipped: 0 })
})

test('after an interruption it continues with the suites that have not passed, and counts the others', async () => {
  const suites = (third: object) => [passing('one'), failing('two'), third]
  await proof(suites(breaking('three')))
  ran = []
  const { last, lines } = await proof(suites(passing('three')))
  expect(ran).toEqual(['two', 'three'])
  expect(lines.find((line) => line.startsWith('one:'))).toMatch(/10 passed, 0 failed.*an earlier run/)
  expect(last).toBe('21 passed, 2 failed')
})

test('runs every suite again when the source has changed, and with --fresh', async () => {
  const suites = [passing('one'), passing('two')]
  await proof(suites)
  await proof(suites, { digest: 'changed' })
  await proof(suites, { digest: 'changed', fresh: true })
  expect(ran).toEqual(['one', 'two', 'one', 'two', 'one', 'two'])
})

test('interrupted after --fresh, it does not count earlier results', async () => {
  const suites = [passing('one'), passing('two'), passing('three')]
  await proof(suites)
  await expect(proof(suites, { fresh: true, interruptedAt: 'two' })).rejects.toThrow('interrupted')
  ran = []
  expect((await proof(suites)).last).toBe('30 passed, 0 failed')
  expect(ran).toEqual(['two', 'three'])
})

test('skips a suite whose program is missing, and says which', async () => {
  const { last, lines } = await proof([passing('one'), { ...passing('java'), missing: () => 'javac' }])
  expect(ran).toEqual(['one'])
  expect(lines).toContain('java: skipped, because javac is not installed')
  expect(last).toBe('10 passed, 0 failed, 1 skipped')
})

test('a suite that counts nothing has failed', async () => {
  expect((await proof([suite('empty', async () => ({ passed: 0, failed: 0 }))])).last).toBe('0 passed, 1 failed')
})

test('ignores a state file that was cut off', async () => {
  await proof([passing('one')])
  const file = join(folder, 'cache', 'state.json')
  await writeFile(file, (await readFile(file, 'utf8')).slice(0, 20))
  expect((await proof([passing('one')])).last).toBe('10 passed, 0 failed')
  expect(ran).toEqual(['one', 'one'])
})
