import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { JsonObject } from '#lib/json.ts'
import { permissionsOf } from '#lib/permissions.ts'
import { catalogPath } from '#server/catalog/operations.ts'
import { collectCatalog } from '#server/catalog.ts'
import { demoClients, demoUsers } from '#server/demo/tenants.ts'
import { routes } from '#server/routes.ts'
import { startApi, type TestApi } from '#server/testing/api.ts'
import { nearlyValid, valid } from '#server/testing/fuzz/from-schema.ts'
import { hostileManifests, hostileValues } from '#server/testing/fuzz/hostile.ts'
import { encoded, headersOf, pairs, publicPaths } from '#server/testing/fuzz/stranger.ts'
import { writeNextOutput } from '#server/testing/next-output.ts'
import { packConsole } from '../../../cli/console/pack.ts'
import { addressOf, requestOf } from './call.ts'
import { countCases, sized } from './counts.ts'

// Whatever is sent to a server that was started as an operator would, it answers below 500, shows no stack and logs no error.
// A failure prints the seed and the path with which fast-check repeats it.

const runs = sized(300, 3)
const catalog = collectCatalog()
type Entry = (typeof catalog)[number]

let api: TestApi
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzz-'))
  writeNextOutput(folder, { '/t/__tenant__': '/t/[tenant]', '/sign-in': '/sign-in' })
  packConsole(folder, join(folder, 'public'), join(folder, 'console'))
  api = await startApi({ LOG_LEVEL: 'error', COUNTERSIGN_CONSOLE: join(folder, 'console') })
}, 180_000)
afterAll(async () => {
  await api.close()
  await rm(folder, { recursive: true })
})

/** Sends one request and checks what anyone may rely on. */
async function send(path: string, init: RequestInit = {}): Promise<number> {
  const response = await fetch(`${api.baseUrl}${path}`, { redirect: 'manual', ...init })
  const stream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (stream) await response.body?.cancel()
  const text = stream ? '' : await response.text()
  if (response.status >= 500) throw new Error(`${response.status} ${text}`)
  if (/\bat .*(\.ts|\.m?js|node:[a-z/]+):\d+/.test(text)) throw new Error(`A stack in the answer: ${text}`)
  return response.status
}

/** Runs the properties one after the other; of each that fails, tells how. Returns the number of runs. */
async function through(properties: readonly [name: string, property: fc.IAsyncProperty<unknown[]>][], numRuns: number) {
  const failures: string[] = []
  let logged = api.logged().length
  // The properties were built without a break. Here this process reads which idle connections the server has closed since.
  await setImmediate()
  for (const [name, property] of properties) {
    await fc.assert(property, { numRuns, endOnFailure: false }).catch((error: unknown) => {
      const cause = error instanceof Error && error.cause !== undefined ? `\n${String(error.cause)}` : ''
      failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}${cause}`)
    })
    const since = api.logged().slice(logged)
    logged += since.length
    if (since !== '') failures.push(`${name} logged (or what was asked just before): ${since.slice(0, 2000)}`)
  }
  expect(failures.join('\n\n')).toBe('')
  return properties.length * numRuns
}

/** Undefined for a value that no address can contain. */
function requestIn(entry: Entry, value: unknown) {
  try {
    return requestOf(entry, value)
  } catch (error) {
    if (error instanceof URIError || error instanceof TypeError) return undefined
    throw error
  }
}

/** The token of a principal of the demo that may call the operation. */
async function tokenFor({ operation: { permission } }: Entry): Promise<string> {
  const may = ({ roles }: { roles: string[] }) => permission === 'any' || permissionsOf(roles).has(permission)
  const user = demoUsers.find(may)
  const client = demoClients.find(may)
  if (user !== undefined) return await api.person(user.username)
  return await api.client(client?.clientId ?? 'admin-automation')
}

test('no input of any operation', async (context) => {
  const schemas = new Map<string, JsonObject>()
  const listed = await api.request(await api.client('admin-automation'), '/v1/catalog')
  for (const { transport, method, path, input } of (listed.body as { operations: (Entry & { input: JsonObject })[] })
    .operations)
    schemas.set(`${transport} ${method} ${path}`, input)
  // Before the inputs are generated: a connection that is idle for so long may be closed as it is used again.
  const tokens = new Map<Entry, string>()
  for (const entry of catalog) tokens.set(entry, await tokenFor(entry))
  const properties: [string, fc.IAsyncProperty<unknown[]>][] = []
  for (const entry of catalog) {
    const schema = schemas.get(`${entry.transport} ${entry.method} ${catalogPath(entry)}`)
    if (schema === undefined) throw new Error(`The catalog does not list ${addressOf(entry)}.`)
    const token = tokens.get(entry) ?? ''
    const input = fc.oneof(
      { arbitrary: valid(schema), weight: 2 },
      { arbitrary: nearlyValid(schema), weight: 3 },
      { arbitrary: fc.constantFrom(...hostileValues), weight: 1 },
    )
    const property = fc.asyncProperty(input, async (value) => {
      const sendable = requestIn(entry, value)
      if (sendable === undefined) return
      const { path, init } = sendable
      await send(path, { ...init, headers: { ...Object(init.headers), authorization: `Bearer ${token}` } })
    })
    properties.push([addressOf(entry), property])
  }
  countCases(context, await through(properties, runs))
}, 3_600_000)

test('no manifest', async (context) => {
  const token = await api.client('ci-pipeline')
  for (const yaml of hostileManifests) {
    const { status } = await api.mutate(token, 'agents.create', { yaml })
    expect([yaml, status]).toEqual([yaml, 400])
  }
  const manifest = fc.oneof(
    fc.constantFrom(...hostileManifests),
    fc
      .array(
        fc.constantFrom('&a ', '*a', '[', ']', '{', '}', ': ', '- ', '\n', '  ', 'name', '!!str ', '"', '|', '<<', ','),
        { maxLength: 40 },
      )
      .map((parts) => parts.join('')),
    fc.string({ unit: 'binary' }),
  )
  const property = fc.asyncProperty(manifest, fc.constantFrom('agents.create', 'agents.check'), async (yaml, name) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    if (name === 'agents.create') await send(`/v1/${name}`, { method: 'POST', headers, body: JSON.stringify({ yaml }) })
    else await send(`/v1/${name}?input=${encodeURIComponent(JSON.stringify({ yaml }))}`, { headers })
  })
  countCases(context, await through([['manifests', property]], runs * 5))
}, 600_000)

/** Every route of the API, where a stranger has nothing to name. */
const routed = routes.map(([path]) => path.replaceAll(/:\w+(\{[^}]*\})?/g, 'abc'))

test('nothing that a stranger sends to a public address', async (context) => {
  const property = (path: string) =>
    fc.asyncProperty(
      fc.constantFrom('GET', 'GET', 'POST', 'POST', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'),
      fc.oneof(
        { arbitrary: fc.constant(''), weight: 3 },
        {
          arbitrary: fc.constantFrom('/%00', '/%2500', '/%ff', '/..%2f', '//', '/%', '/%ed%a0%80', '/__proto__'),
          weight: 1,
        },
      ),
      pairs,
      pairs,
      headersOf,
      fc.constantFrom(
        'application/x-www-form-urlencoded',
        'application/x-www-form-urlencoded',
        'application/json',
        'application/csp-report',
        'text/plain',
      ),
      async (method, rest, query, form, headers, type) => {
        const bodiless = method === 'GET' || method === 'HEAD'
        const body =
          type.includes('json') || type.includes('csp')
            ? JSON.stringify({ 'csp-report': Object.fromEntries(form), ...Object.fromEntries(form) })
            : encoded(form)
        await send(`${path}${rest}?${encoded(query)}`, {
          method,
          headers: bodiless ? headers : { ...headers, 'content-type': type },
          ...(bodiless ? {} : { body }),
        })
      },
    )
  countCases(
    context,
    await through(
      [...publicPaths, ...routed].map((path) => [path, property(path)]),
      runs * 2,
    ),
  )
}, 3_600_000)

test('nothing that is sent over a socket', async (context) => {
  const someone = await api.person('vera')
  const message = fc.oneof(
    fc.constantFrom(...hostileValues),
    fc.record(
      {
        id: fc.constantFrom<unknown>(1, 'a', null, {}),
        method: fc.constantFrom('subscription', 'query', 'subscription.stop', 'x'),
        params: fc.record(
          {
            path: fc.constantFrom('session.watch', 'changes.stream', 'traces.stream', '__proto__', ''),
            input: fc.constantFrom(...hostileValues),
          },
          { requiredKeys: [], noNullPrototype: true },
        ),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
  )
  const parameters = fc.oneof(
    fc.constant({ authorization: `Bearer ${someone}` }),
    fc.dictionary(
      fc.constantFrom('authorization', 'dpop', 'tenantId', 'tenantExternalId'),
      fc.constantFrom(...hostileValues),
      { noNullPrototype: true },
    ),
    fc.constantFrom(...hostileValues),
  )
  const property = fc.asyncProperty(parameters, fc.array(message, { maxLength: 5 }), async (data, messages) => {
    const socket = new WebSocket(`${api.baseUrl.replace('http', 'ws')}/v1?connectionParams=1`)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    const text: string[] = []
    const last = Promise.withResolvers<void>()
    socket.on('message', (chunk) => {
      text.push(String(chunk))
      if (String(chunk).includes('"the last"')) last.resolve()
    })
    socket.once('close', last.resolve)
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    socket.send(JSON.stringify({ method: 'connectionParams', data }))
    for (const one of messages) socket.send(JSON.stringify(one) ?? '')
    // Messages are answered in order: after this answer nothing that was sent is left.
    socket.send(JSON.stringify({ id: 'the last', method: 'subscription', params: { path: 'unknown' } }))
    await last.promise
    socket.close()
    await closed
    const failed = text.find((one) => /"httpStatus":5|\bat .*(\.ts|\.m?js):\d+/.test(one))
    if (failed !== undefined) throw new Error(failed)
  })
  countCases(context, await through([['sockets', property]], runs * 5))
  expect(await send('/v1/health/live')).toBe(200)
}, 600_000)
