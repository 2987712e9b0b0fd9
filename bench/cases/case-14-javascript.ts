import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { sourceDigest } from '../../cli/build-console.mjs'
import { type Figure, figure } from '../report.ts'

const build = join(import.meta.dirname, '../..', '.next')
const shellLimitKb = 250
const routeLimitKb = 290

/** The scripts that a page's HTML loads immediately, as files of the build; a browser with modules skips `nomodule`. */
const scriptsOf = (html: string): string[] =>
  [...html.matchAll(/<script\b[^>]*>/g)]
    .map(([tag]) => tag)
    .filter((tag) => !/\bnomodule\b/i.test(tag))
    .flatMap((tag) => /\bsrc="\/_next\/(static\/[^"?]+\.js)/.exec(tag)?.[1] ?? [])

const sizes = new Map<string, number>()
/** Kilobytes (1000 bytes) after gzip at its default level, as Next sends it. */
function kilobytes(file: string): number {
  const size = sizes.get(file) ?? gzipSync(readFileSync(join(build, file))).length / 1000
  sizes.set(file, size)
  return size
}

type Manifest = { routes: Record<string, { srcRoute: string | null }> }

/** The prerendered pages by their route in app/. */
function readRoutes(): { route: string; scripts: Set<string> }[] {
  const { routes }: Manifest = JSON.parse(readFileSync(join(build, 'prerender-manifest.json'), 'utf8'))
  return Object.entries(routes).flatMap(([key, { srcRoute }]) => {
    const file = join(build, 'server', 'app', `${key === '/' ? 'index' : key.slice(1)}.html`)
    const isPage = key !== '/_global-error' && existsSync(file)
    return isPage ? [{ route: srcRoute ?? key, scripts: new Set(scriptsOf(readFileSync(file, 'utf8'))) }] : []
  })
}

/** First-load JavaScript of each page of the existing build: a counter, the same on every machine. */
export async function javascript(): Promise<Figure[]> {
  const shellJob = 'first-load JavaScript: shell (all /t pages share)'
  if (!existsSync(join(build, 'BUILD_ID'))) return [figure({ case: 14, job: shellJob, ours: 'SKIP(no build)' })]
  const note = (await isStale()) ? 'from a build older than the sources' : ''
  const limit = (job: string, scripts: readonly string[], limitKb: number): Figure => {
    const files = scripts.map((file): [string, number] => [file, kilobytes(file)])
    const kb = files.reduce((sum, [, size]) => sum + size, 0)
    const met = kb <= limitKb ? 'yes' : 'no'
    return figure({ case: 14, job, ours: `${kb.toFixed(1)} KB gz`, target: `≤ ${limitKb} KB`, met, note, data: files })
  }
  const routes = readRoutes().sort((a, b) => a.route.localeCompare(b.route))
  const signedIn = routes.filter(({ route }) => route.startsWith('/t/'))
  const [first] = signedIn
  const shared = [...(first?.scripts ?? [])].filter((script) => signedIn.every(({ scripts }) => scripts.has(script)))
  return [
    first === undefined
      ? figure({ case: 14, job: shellJob, ours: 'SKIP(no /t pages in this build)' })
      : limit(shellJob, shared, shellLimitKb),
    ...routes.map(({ route, scripts }) => limit(`first-load JavaScript: ${route}`, [...scripts], routeLimitKb)),
  ]
}

async function isStale(): Promise<boolean> {
  const record = join(build, 'countersign-build.json')
  if (!existsSync(record)) return true
  const { digest }: { digest: string } = JSON.parse(readFileSync(record, 'utf8'))
  return digest !== (await sourceDigest())
}
