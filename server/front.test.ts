import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packConsole } from '../cli/console/pack.ts'
import { openConsole } from './console.ts'
import { loadConfig } from './kernel/config.ts'
import { type RunningServer, serve } from './serve.ts'
import { testDatabase } from './testing/database.ts'
import { writeNextOutput } from './testing/next-output.ts'

// The whole server on a port of its own, addressed with raw bytes: an HTTP client would correct the requests under
// test.

let server: RunningServer
let folder: string
let database: Awaited<ReturnType<typeof testDatabase>>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'front-'))
  writeNextOutput(folder, { '/t/__tenant__': '/t/[tenant]', '/sign-in': '/sign-in' })
  packConsole(folder, join(folder, 'public'), join(folder, 'console'))
  database = await testDatabase()
  const config = loadConfig({
    PORT: '0',
    DATABASE_URL: database.ownerUrl,
    DATA_DIR: join(folder, 'data'),
    SEED_DEMO: 'false',
    LOG_LEVEL: 'error',
  })
  server = await serve(config, () => undefined, openConsole(join(folder, 'console')))
})

afterAll(async () => {
  await server?.close()
  await database.close()
  await rm(folder, { recursive: true })
})

type Answer = { status: number; head: string; body: string }

/** Writes the bytes and reads until the server closes the connection. */
async function send(bytes: string): Promise<Answer> {
  const socket = connect({ port: Number(new URL(server.baseUrl).port), allowHalfOpen: true })
  socket.write(bytes, 'latin1')
  const answer = await text(socket)
  socket.destroy()
  const [head = '', ...body] = answer.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), body: body.join('\r\n\r\n') }
}

const ask = (line: string, headers = '') =>
  send(`${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`)

const upgrade = (target: string, headers = '') =>
  send(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${headers}\r\n`)

function expectRefused({ status, head }: Answer, expected?: number): void {
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
  if (expected !== undefined) expect(status).toBe(expected)
  for (const line of [
    'x-content-type-options: nosniff',
    "content-security-policy: default-src 'none'",
    'referrer-policy: no-referrer',
    'cross-origin-resource-policy: same-origin',
    'cross-origin-opener-policy: same-origin',
    'permissions-policy: ',
    'cache-control: no-store',
  ])
    expect(head).toContain(`\r\n${line}`)
  expect(head).not.toContain('\r\nlocation:')
}

const long = 'a'.repeat(6000)
const NAMES = [
  '/_next/static/../../t/x',
  '/_next/static/%2e%2e/%2e%2e/t/x',
  '/_next/static/..%2f..%2ft/x',
  '/_next/static/..\\..\\t\\x',
  '/_next/static/chunks/a.js/',
  '/_next/static/chunks/../chunks/a.js',
  '/_next/static//chunks/a.js',
  '/_next/static/chunks/A.js',
  '/_next/static/chunks/',
  '/_next/static/chunks/%61.js',
  '/_next/image?url=%2Ficon.svg&w=64&q=75',
  '/_next/data/x/index.json',
  '/_next/webpack-hmr',
  '/__nextjs_original-stack-frames',
  '/../sign-in',
  '/./sign-in',
  '/%2e%2e/sign-in',
  '/t/%2e%2e',
  '/t/..',
  '/t/a%2fb',
  '/t/%',
  '//',
  '//sign-in',
  '//evil.example/',
  '/\\',
  '/\\evil.example/',
  '/sign-in\\',
  '/console.json',
  '/.next/console/console.json',
  '/package.json',
  '/constructor',
  '/__proto__',
  `/${long}`,
  `/t/${long}`,
  `/_next/static/${long}`,
  `/${'x/'.repeat(3000)}`,
]

describe('unknown names', () => {
  test.each(['/t/%00', '/_next/static/chunks/a.js%00', '/sign-in?next=%00'])('%s is refused', async (name) => {
    expectRefused(await ask(`GET ${name}`), 400)
  })

  test.each(NAMES)('%s is not found', async (name) => {
    expectRefused(await ask(`GET ${name}`), 404)
    expectRefused(await ask(`GET ${name}`, 'rsc: 1\r\nnext-router-segment-prefetch: /../../x\r\n'), 404)
  })

  test('create no files', async () => {
    const before = await readdir(folder, { recursive: true })
    for (const name of NAMES) await ask(`GET ${name}`)
    expect(await readdir(folder, { recursive: true })).toEqual(before)
  })

  test('leave known names available', async () => {
    expect((await ask('GET /t/acme')).body).toContain('<h1>/t/acme</h1>')
    expect((await ask('GET /_next/static/chunks/a.js')).status).toBe(200)
  })
})

describe('an offer of another protocol is ignored, and the request answered:', () => {
  const offer = (line: string, headers = '', body = '') =>
    send(
      `${line} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n${headers}\r\n${body}`,
    )

  test.each([
    ['/v1/health/live', 200],
    ['/sign-in', 200],
    ['/v1', 404],
  ])('GET %s', async (path, status) => {
    expect((await offer(`GET ${path}`)).status).toBe(status)
  })

  test('a POST with its body', async () => {
    const report = JSON.stringify({ 'csp-report': { 'blocked-uri': 'inline' } })
    const headers = `content-type: application/csp-report\r\ncontent-length: ${report.length}\r\n`
    const plain = await ask('POST /csp-report', headers.concat('\r\n', report))
    const answer = await offer('POST /csp-report', headers, report)
    expect([plain.status, answer.status]).toEqual([204, 204])
    const refused = await offer(
      'POST /v1/agents.create',
      'content-type: application/json\r\ncontent-length: 2\r\n',
      '{}',
    )
    expect(JSON.parse(refused.body)).toMatchObject({ error: { json: { data: { code: 'UNAUTHORIZED' } } } })
  })

  test('and the connection stays open', async () => {
    const socket = connect({ port: Number(new URL(server.baseUrl).port) })
    socket.write('GET /v1/health/live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n')
    await once(socket, 'readable')
    socket.write('GET /sign-in HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    expect((await text(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200'])
  })
})

describe('invalid targets', () => {
  test.each([
    ['GET http://evil.example/sign-in', 400],
    ['GET http://localhost/_next/static/chunks/a.js', 400],
    ['GET evil.example/v1/health/live', 400],
    ['OPTIONS *', 400],
    ['CONNECT evil.example:443', 405],
    ['BREW /sign-in', 400],
    ['GET /sign-in\u0000', 400],
    ['GET\u0000 /sign-in', 400],
    ['POST /sign-in', 405],
    ['PUT /_next/static/chunks/a.js', 405],
    ['TRACE /', 405],
    ['PROPFIND /icon.svg', 405],
    ['DELETE /csp-report', 405],
  ])('%s is refused with %i', async (line, status) => {
    expectRefused(await ask(line), status)
  })

  test.each([
    ['a target that is not a path', () => ask('GET http://evil.example/v1'), 400, 'bad_request'],
    ['a missing host', () => send('GET /v1 HTTP/1.1\r\nConnection: close\r\n\r\n'), 400, 'bad_request'],
    ['two hosts', () => ask('GET /v1/health/live', 'host: localhost\r\n'), 400, 'bad_request'],
    ['two hosts of a page', () => ask('GET /sign-in', 'Host: evil.example\r\n'), 400, 'bad_request'],
    ['bytes that are not HTTP', () => send('\u0016\u0003\u0001\u0002'), 400, 'bad_request'],
    ['CONNECT', () => ask('CONNECT evil.example:443'), 405, 'method_not_allowed'],
    ['an expectation', () => ask('GET /v1', 'Expect: miracles\r\n'), 417, 'expectation_failed'],
    ['a long address', () => ask(`GET /v1/agents.list?input=${'a'.repeat(20_000)}`), 414, 'address_too_long'],
    ['a long address of a page', () => ask(`HEAD /t/${'a'.repeat(20_000)}`), 414, 'address_too_long'],
    ['a long header', () => ask('GET /v1', `x-long: ${'a'.repeat(20_000)}\r\n`), 431, 'headers_too_large'],
    ['many headers', () => ask('GET /v1', 'x-more: aaaaaaaa\r\n'.repeat(1500)), 431, 'headers_too_large'],
    ['an upgrade elsewhere', () => upgrade('/v1/x'), 404, 'not_found'],
    ['an upgrade without a handshake', () => upgrade('/v1'), 400, 'bad_request'],
  ] as const)('%s is refused with the error shape of the API', async (_name, refused, status, code) => {
    const answer = await refused()
    expectRefused(answer, status)
    expect(JSON.parse(answer.body)).toEqual({
      error: expect.stringMatching(/^[A-Z].*\.$/),
      code,
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      retryable: false,
    })
    for (const line of [
      'content-type: application/json',
      'ratelimit-policy: "tenant"',
      'ratelimit: "tenant"',
      'x-request-id: ',
    ])
      expect(answer.head).toContain(`\r\n${line}`)
  })

  test('a request without a host, with an expectation, with oversized headers, or that is not HTTP is refused', async () => {
    expectRefused(await send('GET /sign-in HTTP/1.1\r\nConnection: close\r\n\r\n'), 400)
    expectRefused(await ask('GET /sign-in', 'Expect: miracles\r\n'), 417)
    expectRefused(await ask('GET /sign-in', `x-long: ${'a'.repeat(20_000)}\r\n`), 431)
    expectRefused(await send('\u0016\u0003\u0001\u0002\u0000\u0001'), 400)
  })

  test.each([
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 3\r\n'],
    ['a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'],
    ['chunks that are not the last coding', 'Transfer-Encoding: chunked, identity\r\n'],
    ['a length that is not a number', 'Content-Length: +5\r\n'],
    ['a folded header', 'Content-Length:\r\n 5\r\n'],
  ])('a body whose end is ambiguous is refused: %s', async (_name, headers) => {
    const smuggled = '0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n'
    const answer = await send(`POST /v1/session.me HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n${smuggled}`)
    expectRefused(answer, 400)
    expect(answer.body).not.toContain('HTTP/1.1')
  })
})

describe('upgrades', () => {
  test.each(['/_next/webpack-hmr', '/_next/hmr', '//v1', '/realms/x', '/v1x', '/v1/', '/', `/${long}`])(
    '%s is refused with 404, and the socket is closed',
    async (target) => expectRefused(await upgrade(target), 404),
  )

  test('/v1 accepts only a handshake from its own origin', async () => {
    const handshake = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
    expectRefused(await upgrade('/v1', `${handshake}Origin: http://evil.example\r\n`), 403)
    expectRefused(await upgrade('/v1'), 400)
    expectRefused(await upgrade('http://evil.example/v1', handshake), 400)
    const socket = connect(Number(new URL(server.baseUrl).port))
    socket.write(
      `GET /v1 HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${handshake}Origin: ${server.baseUrl}\r\n\r\n`,
    )
    const [first] = await socket.take(1).toArray()
    expect(String(first)).toContain('101 Switching Protocols')
    socket.destroy()
  })

  test('300 concurrent ones are all answered and closed', async () => {
    const answers = await Promise.all(Array.from({ length: 300 }, (_, index) => upgrade(`/realms/${index}`)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404))
  })

  test('a peer that resets the connection does not end the server', async () => {
    const socket = connect(Number(new URL(server.baseUrl).port))
    socket.write('GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    await new Promise<void>((done) => socket.resetAndDestroy().once('close', () => done()))
    expect((await ask('GET /sign-in')).status).toBe(200)
  })
})

test.each([
  '/v1/health/live',
  '/v1/health/ready',
  '/v1/nothing',
  '/realms/x',
  '/icon.svg',
  '/robots.txt',
  '/csp-report',
  '/_next/static/chunks/a.js',
  '/_next/static/chunks/no.js',
])('the response to %s must not be sniffed', async (path) => {
  const { head } = await ask(`GET ${path}`)
  expect(head).toContain('\r\nx-content-type-options: nosniff')
  expect(head).toContain("\r\ncontent-security-policy: default-src 'none'")
})

test('production loads no module of Next', async () => {
  // Every module of the graph of server/main.ts, and those that opening the console loads, in a separate process.
  const program = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    await import('#server/run.ts')
    const { openConsole } = await import('#server/console.ts')
    openConsole(${JSON.stringify(join(folder, 'console'))})({ baseUrl: 'http://localhost', authUrl: 'http://localhost' })
    process.stdout.write(JSON.stringify(loaded), () => process.exit(0))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: join(import.meta.dirname, '..'),
    maxBuffer: 10_000_000,
  })
  const loaded: string[] = JSON.parse(stdout)
  const from = (name: string) => loaded.filter((url) => url.includes(`/node_modules/${name}/`))
  expect(from('pg').length).toBeGreaterThan(0)
  expect([...from('next'), ...from('react'), ...from('react-dom')]).toEqual([])
  expect(loaded.filter((url) => /\/(server\/dev|cli)\//.test(url))).toEqual([])
})
