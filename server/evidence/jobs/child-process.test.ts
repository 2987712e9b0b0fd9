import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testRuntime } from '#server/testing/tenant.ts'
import { askProcess } from './child-process.ts'

let running: Awaited<ReturnType<typeof testRuntime>>
let folder: string
beforeAll(async () => {
  running = await testRuntime()
  folder = await mkdtemp(join(tmpdir(), 'countersign-child-'))
})
afterAll(async () => {
  await running.close()
  await rm(folder, { recursive: true })
})

async function program(name: string, text: string): Promise<URL> {
  const path = join(folder, `${name}.mjs`)
  await writeFile(path, text)
  return pathToFileURL(path)
}

/** This process does nothing else for a time. */
const stand = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

test('an answer counts, although the end of its process is heard of first', async () => {
  const answers = await program(
    'answers',
    `process.once('message', () => setTimeout(() => process.send({ text: 'x' }, () => process.exit(0)), 1500))`,
  )
  const asked = askProcess<{ text: string }>(answers, {}, new AbortController().signal)
  // Ends of processes are collected after whatever else has happened, and then of all: this one has written and ended while this
  // process stands, and the other one answers and ends while what it wrote is handled.
  const other = spawn('sh', ['-c', 'sleep 0.3; echo x'], { stdio: ['ignore', 'pipe', 'ignore'] })
  other.stdout.once('data', () => stand(2500))
  await new Promise((resolve) => setTimeout(resolve, 20))
  stand(900)
  expect(await asked).toEqual({ text: 'x' })
})

test('a process that ends without an answer is an error that says how it ended', async () => {
  const ends = await program('ends', 'process.exit(3)')
  const dies = await program('dies', `process.kill(process.pid, 'SIGKILL')`)
  const { signal } = new AbortController()
  await expect(askProcess(ends, {}, signal)).rejects.toThrow(/ended with code 3/)
  await expect(askProcess(dies, {}, signal)).rejects.toThrow(/ended with SIGKILL/)
})

test('the process has a lower priority than the server, from its first instruction of work', async () => {
  const tells = await program(
    'tells',
    `import { getPriority } from 'node:os'
    process.once('message', () => process.send({ priority: getPriority() }))`,
  )
  const { priority } = await askProcess<{ priority: number }>(tells, {}, new AbortController().signal)
  expect(priority).toBe(10)
  expect(getPriority()).toBeLessThan(priority)
})
