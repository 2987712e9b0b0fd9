import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { routes } from '#server/routes.ts'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { serveRoutesThroughNext, type ThroughNext } from '#server/testing/routes-through-next.ts'
import { packConsole } from '../../../cli/console/pack.ts'
import { projectRoot } from '../project-copy.ts'

// The files of app/v1 are route handlers of Next, although the server calls them directly. Here, Next builds and serves a
// copy of them in a separate process, on the database of a real server.

let api: TestApi
let next: ThroughNext

beforeAll(async () => {
  api = await startApi({ RATE_LIMIT_PER_MINUTE: '1000000' })
  next = await serveRoutesThroughNext(api)
}, 600_000)

afterAll(async () => {
  await next?.close()
  await api?.close()
})

test('every route that the server calls is a route of Next', () => {
  const manifest = join(next.folder, '.next/app-path-routes-manifest.json')
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
  const response = await fetch(`${next.address}${path}`, { method, headers })
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
  const output = join(next.folder, '.next')
  expect(() => packConsole(output, join(projectRoot, 'public'), join(output, 'console'))).toThrow(
    /is rendered for each request/,
  )
})
