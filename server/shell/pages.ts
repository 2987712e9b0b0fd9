import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { placeholder } from '#lib/paths.ts'
import { flightTemplate, htmlTemplate, type Template } from './template.ts'

/** One route of the console, prerendered once. */
export type Page = {
  /** As in app/: `/t/[tenant]/approvals/[approvalId]`. */
  route: string
  parameters: string[]
  html: Template
  /** The data that the router in the browser fetches for a navigation. */
  flight: Template
  /** The same, cut up for prefetching; by the path that the browser names in its header. */
  segments: ReadonlyMap<string, Template>
}

export type Pages = {
  pages: Page[]
  notFound: Page
  /** Prerendered files that are not pages, such as /icon.svg. */
  files: ReadonlySet<string>
}

type Manifest = { routes: Record<string, { srcRoute: string | null }> }

/**
 * Reads Next's build. Throws when a page is not static or was prerendered for something else than its placeholders.
 * @param distDir Next's `.next`
 * @param head HTML put first into every page's head
 */
export function readPages(distDir: string, head: string): Pages {
  const manifest: Manifest = JSON.parse(readFileSync(join(distDir, 'prerender-manifest.json'), 'utf8'))
  const appRoutes: Record<string, string> = JSON.parse(
    readFileSync(join(distDir, 'app-path-routes-manifest.json'), 'utf8'),
  )
  const app = join(distDir, 'server', 'app')
  const pages: Page[] = []
  const files = new Set<string>()
  for (const [key, { srcRoute }] of Object.entries(manifest.routes)) {
    if (key === '/_global-error') continue
    if (!exists(join(app, fileOf(key, '.html')))) files.add(key)
    else pages.push(readPage(app, key, srcRoute ?? key, head))
  }
  const notFound = pages.find((page) => page.route === '/_not-found')
  if (!notFound) throw new Error(`${distDir} has no not-found page`)
  for (const [entry, route] of Object.entries(appRoutes)) {
    const isPage = entry.endsWith('/page') && route !== '/_global-error'
    if (isPage && !pages.some((page) => page.route === route)) {
      throw new Error(`${route} is rendered per request; every page of the console must be a static shell`)
    }
  }
  return { pages: pages.filter((page) => page !== notFound), notFound, files }
}

function readPage(app: string, key: string, route: string, head: string): Page {
  const parameters = [...route.matchAll(/\[([^\]]+)\]/g)].map((match) => match[1] ?? '')
  const expected = route.replaceAll(/\[([^\]]+)\]/g, (_, name: string) => placeholder(name))
  if (key !== expected)
    throw new Error(`${route} was prerendered as ${key}; generateStaticParams must yield ${expected}`)
  const text = (suffix: string) => readFileSync(join(app, fileOf(key, suffix)), 'utf8')
  return {
    route,
    parameters,
    html: htmlTemplate(text('.html'), parameters, head),
    flight: flightTemplate(text('.rsc'), parameters),
    segments: readSegments(join(app, fileOf(key, '.segments')), parameters),
  }
}

function readSegments(directory: string, parameters: string[]): Map<string, Template> {
  const segments = new Map<string, Template>()
  if (!exists(directory)) return segments
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.segment.rsc')) continue
    const path = `/${name.slice(0, -'.segment.rsc'.length).replaceAll('\\', '/')}`
    segments.set(path, flightTemplate(readFileSync(join(directory, name), 'utf8'), parameters))
  }
  return segments
}

function fileOf(key: string, suffix: string): string {
  return `${key === '/' ? 'index' : key.slice(1)}${suffix}`
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
