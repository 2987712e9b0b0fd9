import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '#server/kernel/db/migrate.ts'
import { routes } from '#server/routes.ts'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { packConsole } from '../../../cli/console/pack.ts'
import { freePort } from '../free-port.ts'
import { answerOf } from '../processes/answer-of.ts'
import { testEnvironment } from '../processes/environment.ts'
import { copyProject, type ProjectCopy, projectRoot } from '../project-copy.ts'
import { until } from '../until.ts'

// The files of app/v1 are route handlers of Next, although the server calls them directly. Here, Next builds and serves a
// copy of them in a separate process, on the database of a real server. The copy has a further route that sets the runtime.

const next = join(projectRoot, 'node_modules/next/dist/bin/next')
const settings = {
  pageExtensions: ['ts'],
  // The package reads its WebAssembly from a file next to its module, which a bundle does not contain.
  serverExternalPackages: ['@cedar-policy/cedar-wasm'],
}

let project: ProjectCopy
let api: TestApi
let server: ChildProcess
let address: string

beforeAll(async () => {
  project = copyProject(['app/v1', 'app/tokens.css', 'lib', 'server'], settings)
  mkdirSync(join(project.folder, 'app/runtime'))
  cpSync(join(projectRoot, 'server/testing/runtime-route.ts'), join(project.folder, 'app/runtime/route.ts'))
  const key = randomBytes(32)
  // Processes on one database need the same settings.
  const shared = { MASTER_KEY: key.toString('base64'), RATE_LIMIT_PER_MINUTE: '1000000' }
  api = await startApi(shared)
  const port = await freePort()
  address = `http://127.0.0.1:${port}`
  const env: NodeJS.ProcessEnv = {
    ...testEnvironment,
    ...shared,
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    APP_URL: await migrate(api.ownerUrl, key),
    BASE_URL: api.baseUrl,
    AUTH_URL: api.baseUrl,
  }
  await promisify(execFile)(process.execPath, [next, 'build'], { cwd: project.folder, env, maxBuffer: 10_000_000 })
  server = spawn(process.execPath, [next, 'start', '--port', String(port)], {
    cwd: project.folder,
    env,
    stdio: 'inherit',
  })
  await until(() => answerOf(server, `${address}/v1/health/live`), 'Next answered', 60_000)
  expect((await fetch(`${address}/runtime`, { method: 'POST' })).status).toBe(204)
}, 600_000)

afterAll(async () => {
  if (server?.kill('SIGTERM')) await once(server, 'exit')
  await api?.close()
  project?.remove()
})

test('every route that the server calls is a route of Next', () => {
  const manifest = join(project.folder, '.next/app-path-routes-manifest.json')
  const built: Record<string, string> = JSON.parse(readFileSync(manifest, 'utf8'))
  const ofNext = Object.values(built).filter((route) => route.startsWith('/v1/'))
  // Replaces the names of parameters, in both notations, with one name.
  const shape = (path: string) => path.replaceAll(/:\w+(\{[^}]*\})?|\[[^\]]*\]/g, '*')
  // The published keys are outside the API: the server answers them itself.
  const ofServer = routes.map(([path]) => shape(path)).filter((path) => path.startsWith('/v1/'))
  expect(ofNext.map(shape).sort()).toEqual(ofServer.sort())
})

const viaNext = async (path: string, token?: string, method = 'GET') => {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(`${address}${path}`, { method, headers })
  return { status: response.status, headers: response.headers, body: await response.text() }
}

test('Next returns the responses of the health handlers, and refuses a method that they do not export', async () => {
  const live = await viaNext('/v1/health/live')
  expect([live.status, live.body, live.headers.get('cache-control')]).toEqual([200, '{"status":"live"}', 'no-store'])
  expect((await viaNext('/v1/health/live', undefined, 'POST')).status).toBe(405)
  const ready = await viaNext('/v1/health/ready')
  expect([ready.status, JSON.parse(ready.body)]).toEqual([200, { status: 'ready' }])
})

test.each([
  ['maria', '/v1/tenants.current'],
  ['maria', '/v1/agents.list?input=%7B%22json%22%3A%7B%7D%7D'],
  ['maria', '/v1/policies'],
  ['vera', '/v1/evidence/export-jobs'],
])('returns the same to %s through Next as from our server, and 401 without a token: %s', async (person, path) => {
  const token = await api.person(person)
  const ours = await api.request(token, path)
  expect(ours.status).toBe(200)
  const nexts = await viaNext(path, token)
  expect([nexts.status, JSON.parse(nexts.body)]).toEqual([200, ours.body])
  expect((await viaNext(path)).status).toBe(401)
})

test('parameters of a path reach the handler through Next', async () => {
  const token = await api.person('maria')
  const { body } = await api.request(token, '/v1/policies')
  const { items } = body as { items: { id: string }[] }
  const path = `/v1/policies/${items[0]?.id}/versions`
  const ours = await api.request(token, path)
  const nexts = await viaNext(path, token)
  expect([nexts.status, JSON.parse(nexts.body)]).toEqual([200, ours.body])
  expect((await viaNext(`/v1/policies/${api.credentials.tenants[0]?.id}/versions`, token)).status).toBe(404)
})

test('the build of the console refuses such an output', () => {
  const output = join(project.folder, '.next')
  expect(() => packConsole(output, join(projectRoot, 'public'), join(output, 'console'))).toThrow(
    /is rendered for each request/,
  )
})
