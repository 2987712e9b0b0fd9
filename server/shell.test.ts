import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type PageTexts, packConsole } from '../cli/console/pack.ts'
import { type Front, openPort } from './http.ts'
import { withCommandLine } from './shell/command-line.ts'
import { type CspReport, createCspReportHandler } from './shell/csp-report.ts'
import { loadConsole } from './shell/load-build.ts'
import { createShell } from './shell.ts'
import { script, writeNextOutput } from './testing/next-output.ts'

const ROUTES = {
  '/t/__tenant__/executions': '/t/[tenant]/executions',
  '/t/__tenant__/executions/new': '/t/[tenant]/executions/new',
  '/t/__tenant__/executions/__id__': '/t/[tenant]/executions/[id]',
  '/sign-in': '/sign-in',
}

let dist: string
let front: Front | undefined
const reports: CspReport[] = []

beforeEach(() => {
  dist = mkdtempSync(join(tmpdir(), 'shell-'))
  reports.length = 0
})

afterEach(async () => {
  rmSync(dist, { recursive: true })
  await front?.close()
  front = undefined
})

const OPTIONS = { config: { authUrl: 'https://id.example', version: '1.2.3' }, connectOrigins: [], https: false }

/** Packs the written output and serves it on a real port, as the server does. */
async function serve(options: Partial<Parameters<typeof createShell>[0]> = {}, texts?: PageTexts) {
  packConsole(dist, join(dist, 'public'), join(dist, 'console'), texts)
  const shell = createShell({ build: loadConsole(join(dist, 'console')), ...OPTIONS, ...options })
  const csp = createCspReportHandler({ onReport: (report) => reports.push(report), perMinute: 2, https: false })
  front = await openPort(0, { https: options.https ?? false, rateLimitPerMinute: 600 })
  const { port, answerWith } = front
  answerWith({
    request: async (req, res) => {
      if (!(await csp(req, res))) await shell(req, res)
    },
    upgrade: () => 404,
  })
  return (path: string, options: { method?: string; headers?: Record<string, string>; body?: string } = {}) =>
    new Promise<{ status: number; headers: Record<string, string>; raw: Buffer; text: string }>((resolve, reject) => {
      // Not fetch: it would normalise the paths that matter here.
      const { body, ...rest } = options
      const call = request({ host: '127.0.0.1', port, path, agent: false, ...rest }, async (res) => {
        const raw = Buffer.concat(await res.toArray())
        const headers = Object.fromEntries(Object.entries(res.headers).map(([name, value]) => [name, String(value)]))
        resolve({ status: res.statusCode ?? 0, headers, raw, text: raw.toString() })
      })
      call.on('error', reject)
      call.end(body)
    })
}

describe('pages', () => {
  test('a page gets its parameters, a fresh nonce on every script, and the run-time configuration', async () => {
    writeNextOutput(dist, ROUTES)
    const get = await serve()
    const first = await get('/t/acme/executions/exe_1.~-')
    expect(first.status).toBe(200)
    expect(first.text).toContain('<h1>/t/acme/executions/exe_1.~-</h1>')
    expect(first.text).not.toContain('__tenant__')
    const nonce = /'nonce-([^']+)'/.exec(first.headers['content-security-policy'] ?? '')?.[1] ?? ''
    expect(nonce).toHaveLength(24)
    const scripts = first.text.match(/<script[^>]*>/g) ?? []
    expect(scripts).toHaveLength(5)
    expect(scripts.filter((tag) => !tag.includes(`nonce="${nonce}"`))).toEqual([])
    expect(first.text).toContain(`<link nonce="${nonce}" rel="preload" as="script"`)
    const config = /id="countersign-config">([^<]*)</.exec(first.text)?.[1] ?? ''
    expect(JSON.parse(config)).toEqual(OPTIONS.config)

    const second = await get('/t/acme/executions/exe_1.~-')
    expect(second.text).not.toContain(nonce)
  })

  test('a fixed segment wins over a parameter', async () => {
    writeNextOutput(dist, ROUTES)
    const get = await serve()
    expect((await get('/t/acme/executions/new')).text).toContain('route /t/[tenant]/executions/new')
    expect((await get('/t/acme/executions/new1')).text).toContain('route /t/[tenant]/executions/[id]')
  })

  test('a value that looks like a placeholder stays a value', async () => {
    writeNextOutput(dist, ROUTES)
    const get = await serve()
    expect((await get('/t/__id__/executions/__tenant__')).text).toContain('<h1>/t/__id__/executions/__tenant__</h1>')
  })

  test.each([
    '/t/a%3Cb/executions',
    '/t/a<b/executions',
    '/t/%2e%2e/executions',
    '/t/../executions',
    '/t/./executions',
    '/t//executions',
    `/t/${'a'.repeat(129)}/executions`,
    '/t/acme/executions/x/y',
    '/nowhere',
    '/_next/nowhere',
    '/_not-found/x',
    '/constructor',
  ])('%s is not found, under the same policy', async (path) => {
    writeNextOutput(dist, ROUTES)
    const get = await serve()
    const answer = await get(path)
    expect(answer.status).toBe(404)
    expect(answer.text).toContain('<h1>/_not-found</h1>')
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
  })

  test('a page ignores its query, and redirects a trailing slash to the address without it', async () => {
    writeNextOutput(dist, ROUTES)
    const get = await serve()
    expect((await get('/t/acme/executions?tab=waits')).status).toBe(200)
    const answer = await get('/t/acme/executions/?tab=waits')
    expect([answer.status, answer.headers.location]).toEqual([308, '/t/acme/executions?tab=waits'])
    for (const path of ['//evil.example/', '/\\\\evil.example/', '//', '///', '/nowhere/', '/%5cevil.example/'])
      expect((await get(path)).headers.location, path).toBeUndefined()
  })

  test('files are served by their exact name, with their type and their lifetime', async () => {
    mkdirSync(join(dist, 'public/images'), { recursive: true })
    writeFileSync(join(dist, 'public/images/a.png'), 'png')
    writeFileSync(join(dist, 'public/robots.txt'), 'User-agent: *')
    writeNextOutput(dist, ROUTES)
    const get = await serve()
    const expected = {
      '/_next/static/chunks/a.js': ['text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
      '/icon.svg': ['image/svg+xml; charset=utf-8', 'public, max-age=0, must-revalidate'],
      '/images/a.png': ['image/png', 'public, max-age=0, must-revalidate'],
      '/robots.txt': ['text/plain; charset=utf-8', 'public, max-age=0, must-revalidate'],
    }
    for (const [path, [type, lifetime]] of Object.entries(expected)) {
      const answer = await get(`${path}?v=1`)
      expect([answer.status, answer.headers['content-type'], answer.headers['cache-control']], path).toEqual([
        200,
        type,
        lifetime,
      ])
      expect(answer.headers).toMatchObject({
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      })
      expect((await get(path, { headers: { 'if-none-match': `"x", W/${answer.headers.etag}` } })).status).toBe(304)
      expect((await get(path, { headers: { 'if-none-match': '"x"' } })).status).toBe(200)
      expect((await get(path, { method: 'POST' })).status).toBe(405)
      const head = await get(path, { method: 'HEAD' })
      expect([head.status, head.raw.length, head.headers['content-length']]).toEqual([
        200,
        0,
        String(answer.raw.length),
      ])
    }
  })

  test('a browser gets a file in the best coding that it takes', async () => {
    writeNextOutput(dist, ROUTES)
    const get = await serve()
    const coded = async (coding: string) => {
      const { raw, headers } = await get('/_next/static/chunks/a.js', { headers: { 'accept-encoding': coding } })
      return [headers['content-encoding'], raw] as const
    }
    const [br, brBytes] = await coded('gzip, deflate, br')
    expect([br, brotliDecompressSync(brBytes).toString()]).toEqual(['br', script])
    const [gzip, gzipBytes] = await coded('gzip;q=0.5, br;q=0')
    expect([gzip, gunzipSync(gzipBytes).toString()]).toEqual(['gzip', script])
    const [none, bytes] = await coded('identity, gzip;q=0.000')
    expect([none, bytes.toString()]).toEqual([undefined, script])
  })

  test('HEAD returns an empty body, and other methods are refused', async () => {
    writeNextOutput(dist, ROUTES)
    const get = await serve()
    const head = await get('/sign-in', { method: 'HEAD' })
    expect([head.status, head.raw.length]).toEqual([200, 0])
    expect(Number(head.headers['content-length'])).toBeGreaterThan(100)
    expect((await get('/sign-in', { method: 'POST' })).status).toBe(405)
  })

  test('a browser that takes gzip gets gzip', async () => {
    writeNextOutput(dist, ROUTES)
    const get = await serve()
    const answer = await get('/sign-in', { headers: { 'accept-encoding': 'gzip, br' } })
    expect(answer.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(answer.raw).toString()).toContain('<h1>/sign-in</h1>')
  })
})

describe('flight data', () => {
  test('a navigation gets the page’s data with its parameters', async () => {
    writeNextOutput(dist, ROUTES)
    const get = await serve()
    const answer = await get('/t/acme/executions/exe_1?_rsc=x', { headers: { rsc: '1' } })
    expect(answer.headers['content-type']).toBe('text/x-component')
    expect(answer.headers['content-security-policy']).toBeDefined()
    expect(answer.text).toBe('0:{"b":"build-1","c":["","t","acme","executions","exe_1"]}\n')
  })

  test('a prefetch gets the segment that it names, and 404 without a body for an unknown one', async () => {
    writeNextOutput(dist, ROUTES)
    const get = await serve()
    const headers = { rsc: '1', 'next-router-prefetch': '1', 'next-router-segment-prefetch': '/_tree' }
    const answer = await get('/t/acme/executions', { headers })
    expect(answer.text).toBe('0:{"tree":"/t/acme/executions"}\n')
    expect(answer.headers['x-nextjs-postponed']).toBe('2')
    const unknown = { ...headers, 'next-router-segment-prefetch': '/../../x' }
    const missing = await get('/t/acme/executions', { headers: unknown })
    expect([missing.status, missing.raw.length]).toEqual([404, 0])
    expect((await get('/nowhere', { headers })).raw.length).toBe(0)
  })
})

describe('the policy', () => {
  test('is strict and names the identity provider only when it is elsewhere', async () => {
    writeNextOutput(dist, ROUTES)
    const get = await serve({ connectOrigins: ['https://id.example'], https: true })
    const { headers } = await get('/sign-in')
    const policy = headers['content-security-policy'] ?? ''
    expect(policy).not.toMatch(/unsafe|\*/)
    expect(policy).toContain("connect-src 'self' https://id.example wss://id.example;")
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types default nextjs; report-uri /csp-report")
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'strict-transport-security': 'max-age=63072000; includeSubDomains',
      'x-content-type-options': 'nosniff',
    })
  })

  test('a report is handed on, cut to size, at most so many a minute', async () => {
    writeNextOutput(dist, ROUTES)
    const get = await serve()
    const report = { 'csp-report': { 'blocked-uri': 'x'.repeat(900), 'effective-directive': 'script-src-elem' } }
    const post = (body: string) => get('/csp-report', { method: 'POST', body })
    for (let i = 0; i < 4; i += 1) expect((await post(JSON.stringify(report))).status).toBe(204)
    expect(reports).toHaveLength(2)
    expect(reports[0]).toMatchObject({ directive: 'script-src-elem', blockedUri: 'x'.repeat(500) })
    expect((await post('not json')).status).toBe(400)
    expect((await post('x'.repeat(20_000))).status).toBe(413)
    expect((await get('/csp-report')).status).toBe(405)
  })
})

test('a server that runs is not changed by a build that replaces the files', async () => {
  writeNextOutput(dist, ROUTES)
  const get = await serve()
  rmSync(join(dist, 'console'), { recursive: true })
  expect((await get('/sign-in')).status).toBe(200)
  expect((await get('/_next/static/chunks/a.js')).text).toBe(script)
})

test('without a built console the start fails', () => {
  expect(() => loadConsole(join(dist, 'console'))).toThrow(/ENOENT.*console\.json/)
})

test('the command line is a file of the server, under its own address', async () => {
  writeNextOutput(dist, ROUTES)
  writeFileSync(join(dist, 'countersign.mjs'), 'console.log(1)\n'.repeat(100))
  packConsole(dist, join(dist, 'public'), join(dist, 'console'))
  const build = withCommandLine(loadConsole(join(dist, 'console')), join(dist, 'countersign.mjs'))
  const get = await serve({ build })
  const answer = await get('/cli/countersign.mjs')
  expect(answer).toMatchObject({
    status: 200,
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=0, must-revalidate',
    },
  })
  expect(answer.text).toBe('console.log(1)\n'.repeat(100))
  const zipped = await get('/cli/countersign.mjs', { headers: { 'accept-encoding': 'gzip' } })
  expect(gunzipSync(zipped.raw).toString()).toBe(answer.text)
  const known = await get('/cli/countersign.mjs', { headers: { 'if-none-match': answer.headers.etag ?? '' } })
  expect(known.status).toBe(304)
  expect((await get('/cli/')).status).toBe(404)
})

test('a page is in the language of the cookie, otherwise in an offered language of the browser, otherwise in English', async () => {
  writeNextOutput(dist, ROUTES, { html: '<h1>⟦area.title⟧</h1>' })
  const compiled = { en: 'Sign in', de: 'Anmelden', 'en-XA': '[Šîĝñ îñ]' }
  const message = { area: 'area', name: 'title', key: 'area.title', digest: 'abc123', compiled }
  const texts: PageTexts = { languages: ['en', 'de'], catalogs: new Map([['area.title', message]]) }
  const get = await serve({}, texts)
  const titleFor = async (headers: Record<string, string>) =>
    /<h1>(.*)<\/h1>/.exec((await get('/sign-in', { headers })).text)?.[1]
  expect(await titleFor({})).toBe('Sign in')
  expect(await titleFor({ cookie: 'countersign-language=de' })).toBe('Anmelden')
  expect(await titleFor({ cookie: 'countersign-language=de.account', 'accept-language': 'en' })).toBe('Anmelden')
  // Not built.
  expect(await titleFor({ cookie: 'countersign-language=en-XA' })).toBe('Sign in')
  expect(await titleFor({ 'accept-language': 'fr, de;q=0.8' })).toBe('Anmelden')
  const { headers, text } = await get('/nothing', { headers: { cookie: 'countersign-language=de' } })
  expect(text).toContain('Anmelden')
  expect(headers.vary).toContain('cookie')
})

test('a server without a built command line answers 404', async () => {
  writeNextOutput(dist, ROUTES)
  packConsole(dist, join(dist, 'public'), join(dist, 'console'))
  const get = await serve({ build: withCommandLine(loadConsole(join(dist, 'console')), join(dist, 'missing.mjs')) })
  expect((await get('/cli/countersign.mjs')).status).toBe(404)
})
