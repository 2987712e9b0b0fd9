import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CspReport, createCspReportHandler } from './shell/csp-report.ts'
import { createShell } from './shell.ts'

const HTML = (body: string) =>
  `<!DOCTYPE html><html><head><meta charSet="utf-8"/><link rel="preload" as="script" href="/_next/static/a.js"/>` +
  `<script src="/_next/static/a.js" async=""></script></head><body>${body}<script>self.__next_f.push([1])</script></body></html>`

/** Files as Next 16 writes them into `.next` for these routes. */
function writeBuild(dist: string, routes: Record<string, string>, extra: { html?: string; flight?: string } = {}) {
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(dist, path)), { recursive: true })
    writeFileSync(join(dist, path), text)
  }
  const all = { '/_not-found': '/_not-found', ...routes }
  const manifest = Object.fromEntries(Object.entries(all).map(([key, srcRoute]) => [key, { srcRoute }]))
  put('prerender-manifest.json', JSON.stringify({ routes: { ...manifest, '/icon.svg': { srcRoute: '/icon.svg' } } }))
  const entries = Object.values(all).map((route) => [`${route}/page`, route])
  put('app-path-routes-manifest.json', JSON.stringify({ ...Object.fromEntries(entries), '/v1/[...path]/route': '/v1' }))
  for (const [key, route] of Object.entries(all)) {
    put(`server/app${key}.html`, HTML(extra.html ?? `<h1>${key}</h1><p>route ${route}</p>`))
    put(`server/app${key}.rsc`, extra.flight ?? `0:{"c":${JSON.stringify(key.split('/'))}}\n`)
    put(`server/app${key}.segments/_tree.segment.rsc`, `0:{"tree":"${key}"}\n`)
  }
}

const ROUTES = {
  '/t/__tenant__/executions': '/t/[tenant]/executions',
  '/t/__tenant__/executions/new': '/t/[tenant]/executions/new',
  '/t/__tenant__/executions/__id__': '/t/[tenant]/executions/[id]',
  '/sign-in': '/sign-in',
}

let dist: string
let server: Server | undefined
const reports: CspReport[] = []

beforeEach(() => {
  dist = mkdtempSync(join(tmpdir(), 'shell-'))
  reports.length = 0
})

afterEach(async () => {
  rmSync(dist, { recursive: true })
  await new Promise((done) => (server ? server.close(done) : done(undefined)))
  server = undefined
})

const OPTIONS = { config: { authUrl: 'https://id.example', version: '1.2.3' }, connectOrigins: [], https: false }

/** Serves the shell and answers 599 for what the shell leaves to others. */
async function serve(options: Partial<Parameters<typeof createShell>[0]> = {}) {
  const shell = createShell({ distDir: dist, ...OPTIONS, ...options })
  const csp = createCspReportHandler({ onReport: (report) => reports.push(report), perMinute: 2 })
  const listening = createServer(async (req, res) => {
    if ((await csp(req, res)) || (await shell(req, res))) return
    res.writeHead(599).end()
  })
  server = listening
  await new Promise<void>((done) => listening.listen(0, '127.0.0.1', done))
  const { port } = listening.address() as AddressInfo
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
    writeBuild(dist, ROUTES)
    const get = await serve()
    const first = await get('/t/acme/executions/exe_1.~-')
    expect(first.status).toBe(200)
    expect(first.text).toContain('<h1>/t/acme/executions/exe_1.~-</h1>')
    expect(first.text).not.toContain('__tenant__')
    const nonce = /'nonce-([^']+)'/.exec(first.headers['content-security-policy'] ?? '')?.[1] ?? ''
    expect(nonce).toHaveLength(24)
    const scripts = first.text.match(/<script[^>]*>/g) ?? []
    expect(scripts).toHaveLength(4)
    expect(scripts.filter((tag) => !tag.includes(`nonce="${nonce}"`))).toEqual([])
    expect(first.text).toContain(`<link nonce="${nonce}" rel="preload" as="script"`)
    const config = /id="countersign-config">([^<]*)</.exec(first.text)?.[1] ?? ''
    expect(JSON.parse(config)).toEqual(OPTIONS.config)

    const second = await get('/t/acme/executions/exe_1.~-')
    expect(second.text).not.toContain(nonce)
  })

  test('a fixed segment wins over a parameter', async () => {
    writeBuild(dist, ROUTES)
    const get = await serve()
    expect((await get('/t/acme/executions/new')).text).toContain('route /t/[tenant]/executions/new')
    expect((await get('/t/acme/executions/new1')).text).toContain('route /t/[tenant]/executions/[id]')
  })

  test('a value that looks like a placeholder stays a value', async () => {
    writeBuild(dist, ROUTES)
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
    writeBuild(dist, ROUTES)
    const get = await serve()
    const answer = await get(path)
    expect(answer.status).toBe(404)
    expect(answer.text).toContain('<h1>/_not-found</h1>')
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
  })

  test('the query is no part of the page, and a slash at the end is sent to the address without it', async () => {
    writeBuild(dist, ROUTES)
    const get = await serve()
    expect((await get('/t/acme/executions?tab=waits')).status).toBe(200)
    const answer = await get('/t/acme/executions/?tab=waits')
    expect([answer.status, answer.headers.location]).toEqual([308, '/t/acme/executions?tab=waits'])
    expect((await get('//evil.example/')).headers.location).toBeUndefined()
  })

  test('static files are left to Next', async () => {
    mkdirSync(join(dist, 'public/images'), { recursive: true })
    writeFileSync(join(dist, 'public/images/a.png'), '')
    writeBuild(dist, ROUTES)
    const get = await serve({ publicDir: join(dist, 'public') })
    for (const path of ['/_next/static/a.js', '/icon.svg', '/images/a.png']) expect((await get(path)).status).toBe(599)
  })

  test('HEAD has no body, other methods are refused', async () => {
    writeBuild(dist, ROUTES)
    const get = await serve()
    const head = await get('/sign-in', { method: 'HEAD' })
    expect([head.status, head.raw.length]).toEqual([200, 0])
    expect(Number(head.headers['content-length'])).toBeGreaterThan(100)
    expect((await get('/sign-in', { method: 'POST' })).status).toBe(405)
  })

  test('a browser that takes gzip gets gzip', async () => {
    writeBuild(dist, ROUTES)
    const get = await serve()
    const answer = await get('/sign-in', { headers: { 'accept-encoding': 'gzip, br' } })
    expect(answer.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(answer.raw).toString()).toContain('<h1>/sign-in</h1>')
  })
})

describe('flight data', () => {
  test('a navigation gets the page’s data with its parameters', async () => {
    writeBuild(dist, ROUTES)
    const get = await serve()
    const answer = await get('/t/acme/executions/exe_1?_rsc=x', { headers: { rsc: '1' } })
    expect(answer.headers['content-type']).toBe('text/x-component')
    expect(answer.headers['content-security-policy']).toBeDefined()
    expect(answer.text).toBe('0:{"c":["","t","acme","executions","exe_1"]}\n')
  })

  test('a prefetch gets the segment that it names, and 404 without a body for an unknown one', async () => {
    writeBuild(dist, ROUTES)
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
    writeBuild(dist, ROUTES)
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
    writeBuild(dist, ROUTES)
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

describe('a build that can’t be served is refused at the start', () => {
  test('when a page was prerendered for something else than its placeholders', () => {
    writeBuild(dist, { '/t/acme/executions': '/t/[tenant]/executions' })
    expect(() => createShell({ distDir: dist, ...OPTIONS })).toThrow('/t/[tenant]/executions was prerendered as')
  })

  test('when a page is rendered per request', () => {
    writeBuild(dist, ROUTES)
    const manifest = { '/_not-found/page': '/_not-found', '/t/[tenant]/page': '/t/[tenant]' }
    writeFileSync(join(dist, 'app-path-routes-manifest.json'), JSON.stringify(manifest))
    expect(() => createShell({ distDir: dist, ...OPTIONS })).toThrow('/t/[tenant] is rendered per request')
  })

  test('when a text of counted length holds a parameter', () => {
    const text = `${'x'.repeat(1100)} __tenant__`
    writeBuild(dist, ROUTES, { flight: `0:{}\n1:T${text.length.toString(16)},${text}2:null\n` })
    expect(() => createShell({ distDir: dist, ...OPTIONS })).toThrow('contains the parameter tenant')
  })

  test('when there is none', () => {
    expect(() => createShell({ distDir: dist, ...OPTIONS })).toThrow(/ENOENT.*prerender-manifest/)
  })
})
