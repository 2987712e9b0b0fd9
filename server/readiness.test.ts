import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { until } from '#server/testing/until.ts'

// A process whose clock is far behind the database's can't sign anyone in, so health checks and logs report it.

let api: TestApi
let folder: string
const clock = () => join(folder, 'clock')
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-clock-'))
  await writeFile(clock(), '0')
  const preload = `--import=${new URL('testing/processes/jumping-clock.ts', import.meta.url)}`
  api = await startApi({ LOG_LEVEL: 'info', NODE_OPTIONS: preload, COUNTERSIGN_CLOCK: clock() })
}, 180_000)
afterAll(async () => {
  await api.close()
  await rm(folder, { recursive: true })
})

type Ready = { status: string; clock?: { aheadSeconds: number; problem: string } }
const ready = async () => (await api.request(undefined, '/v1/health/ready')).body as Ready
async function jump(shiftMs: number): Promise<Ready> {
  await writeFile(clock(), String(shiftMs))
  api.process.kill('SIGUSR2')
  // The signal is delivered asynchronously.
  return await until(async () => {
    const body = await ready()
    return Math.abs((body.clock?.aheadSeconds ?? 0) * 1000 - shiftMs) < 15_000 ? body : undefined
  }, 'the clock jumped')
}
const wrong = () => api.logged().split('"the clock is wrong"').length - 1

test('a correct clock is not reported', async () => {
  expect(await ready()).toEqual({ status: 'ready' })
  expect(wrong()).toBe(0)
})

test('a wrong clock is reported in readiness and once in the log, and the process stays ready', async () => {
  const behind = await jump(-120_000)
  expect(behind.status).toBe('ready')
  expect(behind.clock?.problem).toMatch(/seconds behind the database’s\. .* no one can sign in through this process\./)
  await until(async () => wrong() > 0 || undefined, 'the wrong clock was logged')
  await ready()
  expect(wrong()).toBe(1)
  expect(await jump(0)).toEqual({ status: 'ready' })
  await until(async () => api.logged().includes('the clock is right again') || undefined, 'the recovery was logged')
  expect((await jump(120_000)).clock?.problem).toMatch(/seconds ahead of the database’s/)
})

test('a process that starts with a wrong clock reports it before it serves', async () => {
  await writeFile(clock(), '-90000')
  const before = wrong()
  await api.killAndRestart()
  await until(async () => wrong() > before || undefined, 'the wrong clock was logged')
  expect((await ready()).clock?.problem).toMatch(/behind/)
})
