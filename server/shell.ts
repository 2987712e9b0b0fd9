import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { RUNTIME_CONFIG_ID, type RuntimeConfig } from '#lib/runtime-config.ts'
import { THEME_SCRIPT } from '#lib/theme-script.ts'
import { createMatcher } from './shell/match.ts'
import { type Page, readPages } from './shell/pages.ts'
import { contentSecurityPolicy, fixedHeaders } from './shell/policy.ts'
import { fill, NONCE, type Template } from './shell/template.ts'

export type ShellOptions = {
  /** Next's build directory, `.next`. */
  distDir: string
  /** `public/`, whose files Next serves; leave out when there is none. */
  publicDir?: string
  config: RuntimeConfig
  /** Origins beside our own that pages may call (fetch and WebSocket). */
  connectOrigins: string[]
  https: boolean
}

/** What the router's prefetch data may vary on; the same list as Next's own. */
const VARY = 'rsc, next-router-state-tree, next-router-prefetch, next-router-segment-prefetch, accept-encoding'
const compress = promisify(gzip)

/**
 * Serves the pages of Next's build: static shells, with a fresh nonce, the run-time configuration and the path's
 * parameters written in. The handler resolves to false for what is not a page (Next's static files, `public/`);
 * what is neither gets the not-found page. Throws when the build is missing or has a page that is not static.
 */
export function createShell(options: ShellOptions) {
  const { pages, notFound, files } = readPages(options.distDir, headElements(options.config))
  const match = createMatcher(pages)
  const headers = fixedHeaders(options)
  const policy = contentSecurityPolicy(options)
  const passOn = new Set([...files, ...publicFiles(options.publicDir)])

  return async (req: IncomingMessage, res: ServerResponse): Promise<boolean> => {
    const [path = '/', query] = (req.url ?? '/').split('?', 2)
    if (path.startsWith('/_next/static/') || passOn.has(path)) return false
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    const nonce = randomBytes(16).toString('base64')
    res.setHeader('content-security-policy', policy(nonce))
    res.setHeader('vary', VARY)

    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.writeHead(405, { allow: 'GET, HEAD' }).end()
      return true
    }
    // A second slash would make the Location an address of another host.
    if (path.length > 1 && path.endsWith('/') && !path.includes('//')) {
      res.writeHead(308, { location: path.slice(0, -1) + (query === undefined ? '' : `?${query}`) }).end()
      return true
    }
    const found = match(path)
    const values = (found?.values ?? new Map<string, string>()).set(NONCE, nonce)
    if (req.headers.rsc === '1') await sendFlight(req, res, found?.page, values)
    else await send(req, res, found ? 200 : 404, 'text/html; charset=utf-8', (found?.page ?? notFound).html, values)
    return true
  }
}

/** Answers as Next does for prerendered routes; anything but 200 makes the browser's router load the page instead. */
async function sendFlight(
  req: IncomingMessage,
  res: ServerResponse,
  page: Page | undefined,
  values: Map<string, string>,
) {
  const segment = req.headers['next-router-segment-prefetch']
  const template = typeof segment === 'string' ? page?.segments.get(segment) : page?.flight
  if (!template) {
    res.writeHead(404).end()
    return
  }
  res.setHeader('x-nextjs-prerender', '1')
  if (typeof segment === 'string') res.setHeader('x-nextjs-postponed', '2')
  else res.setHeader('x-nextjs-stale-time', '300')
  await send(req, res, 200, 'text/x-component', template, values)
}

async function send(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  type: string,
  template: Template,
  values: Map<string, string>,
) {
  let body = Buffer.from(fill(template, values))
  res.setHeader('content-type', type)
  if (/\bgzip\b/.test(req.headers['accept-encoding'] ?? '')) {
    // The body holds no secret but the nonce, which no later answer repeats: nothing for BREACH to guess at.
    body = await compress(body, { level: constants.Z_BEST_SPEED })
    res.setHeader('content-encoding', 'gzip')
  }
  res.writeHead(status, { 'content-length': body.length })
  res.end(req.method === 'HEAD' ? undefined : body)
}

function headElements(config: RuntimeConfig): string {
  const json = JSON.stringify(config).replaceAll('<', '\\u003c')
  return `<script>${THEME_SCRIPT}</script><script type="application/json" id="${RUNTIME_CONFIG_ID}">${json}</script>`
}

function publicFiles(directory: string | undefined): string[] {
  if (!directory) return []
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath.slice(directory.length).replaceAll('\\', '/')}/${entry.name}`)
}
