import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { documentChoice } from '#lib/console-build.ts'
import { sourceLanguage } from '#lib/languages.ts'
import { type LoadedConsole, loadConsole } from '#server/shell/load-build.ts'
import { CONSOLE_DIR, isBuilt, sourceDigest } from '../../cli/build-console.mjs'
import { type Figure, figure } from '../report.ts'

const shellLimitKb = 210
const routeLimitKb = 250

/** The scripts that a page's HTML loads immediately, by their path; a browser with modules skips `nomodule`. */
const scriptsOf = (html: string): string[] =>
  [...html.matchAll(/<script\b[^>]*>/g)]
    .map(([tag]) => tag)
    .filter((tag) => !/\bnomodule\b/i.test(tag))
    .flatMap((tag) => /\bsrc="([^"?]+\.js)/.exec(tag)?.[1] ?? [])

/** Kilobytes (1000 bytes) after gzip at its default level. */
function kilobytes(build: LoadedConsole, path: string): number {
  const file = build.files.get(path)
  if (file === undefined) throw new Error(`The console has no ${path}.`)
  return gzipSync(file.identity).length / 1000
}

/** The pages by their route in app/. */
function readRoutes(build: LoadedConsole): { route: string; scripts: Set<string> }[] {
  return build.pages.map(({ route, answers }) => {
    const html = Buffer.concat(answers.get(sourceLanguage)?.get(documentChoice(build))?.parts ?? []).toString()
    return { route, scripts: new Set(scriptsOf(html)) }
  })
}

/** First-load JavaScript of each page of the existing build: a counter, the same on every machine. */
export async function javascript(): Promise<Figure[]> {
  const shellJob = 'first-load JavaScript: shell (all /t pages share)'
  if (!isBuilt()) return [figure({ case: 14, job: shellJob, ours: 'SKIP(no build)' })]
  const build = loadConsole(CONSOLE_DIR)
  const note = (await isStale()) ? 'from a build older than the sources' : ''
  const limit = (job: string, scripts: readonly string[], limitKb: number): Figure => {
    const files = scripts.map((file): [string, number] => [file, kilobytes(build, file)])
    const kb = files.reduce((sum, [, size]) => sum + size, 0)
    const met = kb <= limitKb ? 'yes' : 'no'
    return figure({ case: 14, job, ours: `${kb.toFixed(1)} KB gz`, target: `≤ ${limitKb} KB`, met, note, data: files })
  }
  const routes = readRoutes(build).sort((a, b) => a.route.localeCompare(b.route))
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
  const record = join(CONSOLE_DIR, '..', 'countersign-build.json')
  if (!existsSync(record)) return true
  const { digest }: { digest: string } = JSON.parse(readFileSync(record, 'utf8'))
  return digest !== (await sourceDigest())
}
