import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type BuiltAnswer,
  type BuiltFile,
  type BuiltPage,
  BYTES_FILE,
  CONSOLE_BUILD_VERSION,
  type ConsoleBuild,
  choiceOf,
  INDEX_FILE,
} from '#lib/console-build.ts'
import { type Language, sourceLanguage } from '#lib/languages.ts'
import { type Bytes, createBytes } from './bytes.ts'
import { builtFile, filesBelow, IMMUTABLE, REVALIDATED, typeOf } from './files.ts'
import { check } from './format-error.ts'
import { type NextOutput, type PrerenderedPage, type Protocol, readNextOutput } from './next-output.ts'
import { documentTemplate, flightTemplate, type Template, type Translate } from './template.ts'
import type { Catalogs } from './texts/catalogs.ts'
import { inEachLanguage, type Scripts } from './texts/scripts.ts'

const NOT_FOUND = '/_not-found'
const ASSET = /\/_next\/static\/[\w./~-]+/g

/** The texts of the pages, and the languages in which to build them. */
export type PageTexts = { languages: readonly Language[]; catalogs: Catalogs }

const ENGLISH: PageTexts = { languages: [sourceLanguage], catalogs: new Map() }

/**
 * Turns a finished `next build` into the console that the server reads: every page in each language, cut into fixed text and
 * holes, every answer's headers, every file by its exact name. This folder holds all knowledge of Next's formats.
 * @param distDir Next's `.next`
 * @param publicDir files that are served unchanged
 * @param target folder for the two files; created if it is missing
 */
export function packConsole(distDir: string, publicDir: string, target: string, texts = ENGLISH): void {
  const output = readNextOutput(distDir)
  const scripts = inEachLanguage(output.assets, output.buildId, texts)
  const bytes = createBytes()
  const files = packFiles(output, scripts.assets, filesBelow(publicDir, ''), bytes)
  const pages = output.pages.map((page) => packPage(page, output.protocol, files, bytes, scripts))
  const notFound = output.pages.find((page) => page.route === NOT_FOUND)
  check(notFound?.status === 404, `there is no ${NOT_FOUND} with the status 404`)
  const { flight, segment } = output.protocol
  const build: ConsoleBuild = {
    version: CONSOLE_BUILD_VERSION,
    languages: [...texts.languages],
    chosenBy: [flight, segment],
    pages: pages.filter((page) => page.route !== NOT_FOUND),
    notFound: byLanguage(scripts, (translate) => documentAnswer(notFound, output.protocol, bytes, translate)),
    files,
  }
  mkdirSync(target, { recursive: true })
  writeFileSync(join(target, BYTES_FILE), bytes.all())
  writeFileSync(join(target, INDEX_FILE), JSON.stringify(build))
}

function packFiles(
  output: NextOutput,
  assets: Scripts['assets'],
  open: readonly [string, Buffer][],
  bytes: Bytes,
): Record<string, BuiltFile> {
  const files: Record<string, BuiltFile> = {}
  // The name of each asset contains a digest of its content, or of the build.
  for (const [path, content] of assets) files[path] = builtFile(bytes, content, typeOf(path), IMMUTABLE)
  for (const { path, content } of output.files) files[path] = builtFile(bytes, content, typeOf(path), REVALIDATED)
  for (const [path, content] of open) files[path] = builtFile(bytes, content, typeOf(path), REVALIDATED)
  return files
}

function packPage(
  page: PrerenderedPage,
  protocol: Protocol,
  files: Record<string, BuiltFile>,
  bytes: Bytes,
  scripts: Scripts,
): BuiltPage {
  return {
    route: page.route,
    parameters: page.parameters,
    answers: byLanguage(scripts, (translate) => {
      for (const text of [page.html, page.flight, ...page.segments.values()])
        for (const [asset] of translate(page.route, text).matchAll(ASSET))
          check(files[asset] !== undefined, `${page.route} refers to ${asset}, which the build does not contain`)
      return answersOf(page, protocol, bytes, translate)
    }),
  }
}

function answersOf(
  page: PrerenderedPage,
  protocol: Protocol,
  bytes: Bytes,
  translate: Translate,
): Record<string, BuiltAnswer> {
  const flight = (name: string, text: string, headers: Record<string, string>): BuiltAnswer => ({
    headers: { 'content-type': protocol.contentType, vary: varyOf(protocol), ...headers },
    body: place(flightTemplate(name, text, page.parameters, translate), bytes),
  })
  // As Next's own server answers: '2' tells the router that the segment comes from a prerendered page.
  const prefetched = { ...page.headers, [protocol.postponed]: '2' }
  return {
    [choiceOf([undefined, undefined])]: documentAnswer(page, protocol, bytes, translate),
    [choiceOf(['1', undefined])]: flight(`The flight data of ${page.route}`, page.flight, page.headers),
    ...Object.fromEntries(
      [...page.segments].map(([name, text]) => [
        choiceOf(['1', name]),
        flight(`The segment ${name} of ${page.route}`, text, prefetched),
      ]),
    ),
  }
}

const documentAnswer = (
  page: PrerenderedPage,
  protocol: Protocol,
  bytes: Bytes,
  translate: Translate,
): BuiltAnswer => ({
  headers: { 'content-type': 'text/html; charset=utf-8', vary: varyOf(protocol) },
  body: place(documentTemplate(`The document of ${page.route}`, page.html, page.parameters, translate), bytes),
})

const byLanguage = <Answer>(
  { translations }: Scripts,
  answer: (translate: Translate) => Answer,
): Record<string, Answer> =>
  Object.fromEntries([...translations].map(([language, translate]) => [language, answer(translate)]))

const varyOf = ({ flight, stateTree, prefetch, segment }: Protocol): string =>
  [flight, stateTree, prefetch, segment, 'accept-encoding', 'accept-language', 'cookie'].join(', ')

const place = ({ parts, holes }: Template, bytes: Bytes) => ({
  parts: parts.map((part) => bytes.add(Buffer.from(part))),
  holes,
})
