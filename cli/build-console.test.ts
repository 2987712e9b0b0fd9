import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'

// The real build, in processes of its own, on a small tree. In the place of Next's program: one that writes Next's output.

const testing = join(import.meta.dirname, '../server/testing')
const ROUTES = { '/sign-in': '/sign-in' }
let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'build-'))
  mkdirSync(join(root, 'app'))
  mkdirSync(join(root, 'public'))
  writeFileSync(join(root, 'app/page.tsx'), 'one')
})
afterEach(() => rmSync(root, { recursive: true }))

const built = () => readFileSync(join(root, 'builds'), 'utf8').trim().split('\n').length
const record = () => join(root, '.next/countersign-build.json')

/** Starts a build by a program that notes its process id in `builds`, does what `during` says, and writes its output. */
function build(during = ''): ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream } {
  const program = join(root, 'next.ts')
  const script = `
    import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
    import { writeNextOutput } from ${JSON.stringify(join(testing, 'next-output.ts'))}
    appendFileSync('builds', process.pid + '\\n')
    ${during}
    mkdirSync('.next', { recursive: true })
    writeNextOutput(${JSON.stringify('.next')}, ${JSON.stringify(ROUTES)})`
  writeFileSync(program, script)
  return spawn(process.execPath, [join(testing, 'processes/build-process.ts'), root, program], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function finish(child: ReturnType<typeof build>): Promise<void> {
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close'), child.stdout.resume()])
  expect([errors, code]).toEqual(['', 0])
}

const started = () => expect.poll(() => existsSync(join(root, 'builds'))).toBe(true)
const untilAllowed = `await new Promise((resolve) => {
  const timer = setInterval(() => existsSync('go') && resolve(clearInterval(timer)), 20)
})`

test('two starts at the same time build once', async () => {
  const first = build(untilAllowed)
  await started()
  const second = build(untilAllowed)
  const waits = once(second.stdout, 'data')
  expect(String((await waits)[0])).toContain('Another process is building the console.')
  writeFileSync(join(root, 'go'), '')
  await Promise.all([finish(first), finish(second)])
  expect(built()).toBe(1)
  await finish(build())
  expect(built()).toBe(1)
})

test('a killed build ends its program and leaves nothing that counts as fresh', async () => {
  await finish(build())
  writeFileSync(join(root, 'app/page.tsx'), 'two')
  const killed = build(`process.on('exit', () => writeFileSync('ended', ''))
    await new Promise(() => setInterval(() => undefined, 1000))`)
  await expect.poll(built).toBe(2)
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  await expect.poll(() => existsSync(join(root, 'ended'))).toBe(true)
  expect(existsSync(record())).toBe(false)
  await finish(build())
  expect(built()).toBe(3)
})

test('a source that is edited during the build makes it stale', async () => {
  await finish(build(`writeFileSync('app/page.tsx', 'edited')`))
  expect(existsSync(record())).toBe(true)
  await finish(build())
  await finish(build())
  expect(built()).toBe(2)
})
