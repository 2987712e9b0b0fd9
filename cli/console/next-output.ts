import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { placeholder } from '#lib/paths.ts'
import { filesBelow } from './files.ts'
import { check } from './format-error.ts'

/** What `next build` wrote for one page, with the file names for messages. */
export type PrerenderedPage = {
  route: string
  parameters: string[]
  status: number
  html: string
  flight: string
  /** Parts of the flight data by the name that the router's prefetch requests. */
  segments: Map<string, string>
  /** Headers of the flight data. */
  headers: Record<string, string>
}

/** A prerendered file, such as /icon.svg. */
export type PrerenderedFile = { path: string; content: Buffer }

/** The headers that the browser's router sends and expects. */
export type Protocol = {
  flight: string
  segment: string
  stateTree: string
  prefetch: string
  postponed: string
  contentType: string
}

export type NextOutput = {
  /** In the flight data; the browser's router compares it with its own. */
  buildId: string
  protocol: Protocol
  pages: PrerenderedPage[]
  files: PrerenderedFile[]
  /** Scripts, styles and fonts by their path. */
  assets: [path: string, content: Buffer][]
}

const PRERENDER_VERSION = 4
const ROUTES_VERSION = 3
const PAGE_HEADERS = new Set(['x-nextjs-stale-time', 'x-nextjs-prerender', 'x-next-cache-tags'])
/** For Next's own server, which removes it from its answers. */
const INTERNAL_HEADER = 'x-next-cache-tags'
const NEVER_SERVED = '/_global-error'

/** Reads a finished `.next`. Throws FormatError when it differs from what this file knows, or when a page is not static. */
export function readNextOutput(distDir: string): NextOutput {
  const json = (file: string): unknown => JSON.parse(readFileSync(join(distDir, file), 'utf8'))
  checkRoutes(json('routes-manifest.json'), json('server/middleware-manifest.json'))
  const manifest = json('prerender-manifest.json') as {
    version: number
    routes: Record<string, { srcRoute: string | null }>
  }
  check(
    manifest.version === PRERENDER_VERSION,
    `prerender-manifest.json has version ${manifest.version}, not ${PRERENDER_VERSION}`,
  )
  const buildId = readFileSync(join(distDir, 'BUILD_ID'), 'utf8')
  const app = join(distDir, 'server', 'app')
  const pages: PrerenderedPage[] = []
  const files: PrerenderedFile[] = []
  for (const [path, { srcRoute }] of Object.entries(manifest.routes)) {
    if (path === NEVER_SERVED) continue
    if (existsSync(join(app, fileOf(path, '.html')))) pages.push(readPage(app, path, srcRoute ?? path, buildId))
    else files.push(readFile(app, path))
  }
  checkComplete(json('app-path-routes-manifest.json') as Record<string, string>, pages, files)
  return {
    buildId,
    protocol: readProtocol(),
    pages,
    files,
    assets: filesBelow(join(distDir, 'static'), '/_next/static'),
  }
}

/** Next keeps these names in one module; its server and its client both read them there. */
function readProtocol(): Protocol {
  const module = 'next/dist/client/components/app-router-headers.js'
  const names: Record<string, unknown> = createRequire(import.meta.url)(module)
  const name = (key: string): string => {
    const value = names[key]
    check(typeof value === 'string', `${module} does not export ${key}`)
    return value
  }
  return {
    flight: name('RSC_HEADER'),
    segment: name('NEXT_ROUTER_SEGMENT_PREFETCH_HEADER'),
    stateTree: name('NEXT_ROUTER_STATE_TREE_HEADER'),
    prefetch: name('NEXT_ROUTER_PREFETCH_HEADER'),
    postponed: name('NEXT_DID_POSTPONE_HEADER'),
    contentType: name('RSC_CONTENT_TYPE_HEADER'),
  }
}

/** Rules that only Next's server would apply must not exist: ours does not. */
function checkRoutes(routes: unknown, middleware: unknown): void {
  const { version, basePath, headers, redirects, rewrites } = routes as {
    version: number
    basePath: string
    headers: unknown[]
    redirects: { internal?: boolean }[]
    rewrites: Record<string, unknown[]>
  }
  check(version === ROUTES_VERSION, `routes-manifest.json has version ${version}, not ${ROUTES_VERSION}`)
  check(basePath === '', 'there is a basePath, which server/shell.ts does not serve')
  check(headers.length === 0, 'there are headers from next.config.mjs, which belong in server/shell/policy.ts')
  check(
    redirects.every((redirect) => redirect.internal === true),
    'there are redirects from next.config.mjs, which server/shell.ts does not follow',
  )
  check(
    Object.values(rewrites).every((list) => list.length === 0),
    'there are rewrites, which server/shell.ts does not follow',
  )
  const { middleware: entries } = middleware as { middleware: Record<string, unknown> }
  check(Object.keys(entries).length === 0, 'there is middleware, which would never run')
}

function readPage(app: string, path: string, route: string, buildId: string): PrerenderedPage {
  const parameters = [...route.matchAll(/\[([^\]]+)\]/g)].map((match) => match[1] ?? '')
  const expected = route.replaceAll(/\[([^\]]+)\]/g, (_, name: string) => placeholder(name))
  if (path !== expected)
    throw new Error(`${route} was prerendered as ${path}; generateStaticParams must return ${expected}.`)
  const text = (suffix: string) => {
    check(existsSync(join(app, fileOf(path, suffix))), `${fileOf(path, suffix)} is missing`)
    return readFileSync(join(app, fileOf(path, suffix)), 'utf8')
  }
  const meta: { status?: number; headers: Record<string, string>; segmentPaths: string[]; postponed?: unknown } =
    JSON.parse(text('.meta'))
  check(meta.postponed === undefined, `${path} is postponed: a part of it would be rendered for each request`)
  for (const name of Object.keys(meta.headers))
    check(PAGE_HEADERS.has(name), `${path} comes with the unknown header ${name}`)
  const flight = text('.rsc')
  check(flight.includes(`"b":"${buildId}"`), `${fileOf(path, '.rsc')} does not name the build`)
  const { [INTERNAL_HEADER]: _, ...headers } = meta.headers
  return {
    route,
    parameters,
    status: meta.status ?? 200,
    html: text('.html'),
    flight,
    segments: readSegments(app, path, meta.segmentPaths),
    headers,
  }
}

function readSegments(app: string, path: string, expected: readonly string[]): Map<string, string> {
  const suffix = '.segment.rsc'
  const found = filesBelow(join(app, fileOf(path, '.segments')), '')
  for (const [name] of found) check(name.endsWith(suffix), `the segments of ${path} contain the file ${name}`)
  const segments = new Map(found.map(([name, content]) => [name.slice(0, -suffix.length), content.toString('utf8')]))
  for (const name of expected) check(segments.has(name), `the segment ${name} of ${path} is missing`)
  check(segments.size === expected.length, `${path} has segments that its .meta file does not list`)
  return segments
}

function readFile(app: string, path: string): PrerenderedFile {
  const [body, meta] = [join(app, `${path}.body`), join(app, `${path}.meta`)]
  check(existsSync(body) && existsSync(meta), `${path} was prerendered as neither a page nor a file`)
  const { status }: { status: number } = JSON.parse(readFileSync(meta, 'utf8'))
  check(status === 200, `${path} was prerendered with status ${status}`)
  return { path, content: readFileSync(body) }
}

/** Checks that every entry of app/ was prerendered, because no server renders pages per request. */
function checkComplete(
  entries: Record<string, string>,
  pages: readonly PrerenderedPage[],
  files: readonly PrerenderedFile[],
): void {
  const prerendered = new Set([...pages.map((page) => page.route), ...files.map((file) => file.path), NEVER_SERVED])
  for (const route of Object.values(entries))
    if (!prerendered.has(route))
      throw new Error(`${route} is rendered for each request. Every page of the console must be static.`)
}

function fileOf(path: string, suffix: string): string {
  return `${path === '/' ? 'index' : path.slice(1)}${suffix}`
}
