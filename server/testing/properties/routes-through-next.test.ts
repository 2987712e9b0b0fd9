import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { routes } from '#server/routes.ts'
import { packConsole } from '../../../cli/console/pack.ts'
import { freePort } from '../free-port.ts'

// The files of app/v1 are route handlers of Next, although our server calls them itself: Next builds and serves them.

const root = join(import.meta.dirname, '../../..')
const next = join(root, 'node_modules/next/dist/bin/next')
let distDir: string
let env: NodeJS.ProcessEnv
let server: ChildProcess
let address: string

beforeAll(async () => {
  mkdirSync(join(root, '.next'), { recursive: true })
  distDir = mkdtempSync(join(root, '.next', 'routes-'))
  env = {
    ...process.env,
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    NEXT_ROUTES_DIST_DIR: relative(root, distDir),
  }
  await promisify(execFile)(process.execPath, [next, 'build'], { cwd: root, env, maxBuffer: 10_000_000 })
  const port = await freePort()
  address = `http://127.0.0.1:${port}`
  server = spawn(process.execPath, [next, 'start', '--port', String(port)], { cwd: root, env, stdio: 'ignore' })
  await expect.poll(() => fetch(`${address}/v1/health/live`).catch(() => undefined), { timeout: 60_000 }).toBeDefined()
}, 600_000)

afterAll(async () => {
  server.kill('SIGTERM')
  await once(server, 'exit')
  rmSync(distDir, { recursive: true })
})

test('every route that our server calls is a route of Next', () => {
  const built: Record<string, string> = JSON.parse(readFileSync(join(distDir, 'app-path-routes-manifest.json'), 'utf8'))
  const ofNext = Object.values(built).filter((route) => route.startsWith('/v1/'))
  // One name for a parameter, whatever it is called and however it is written.
  const shape = (path: string) => path.replaceAll(/:\w+(\{[^}]*\})?|\[[^\]]*\]/g, '*')
  expect(ofNext.map(shape).sort()).toEqual(routes.map(([path]) => shape(path)).sort())
})

test('Next answers with the handler’s own answer, and refuses a verb that it does not have', async () => {
  const live = await fetch(`${address}/v1/health/live`)
  expect([live.status, await live.json(), live.headers.get('cache-control')]).toEqual([
    200,
    { status: 'live' },
    'no-store',
  ])
  expect((await fetch(`${address}/v1/health/live`, { method: 'POST' })).status).toBe(405)
})

test('the console is not built from such an output', () => {
  expect(() => packConsole(distDir, join(root, 'public'), join(distDir, 'console'))).toThrow(
    /^\/v1\/.* is rendered for each request/,
  )
})
