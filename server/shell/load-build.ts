import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type BuiltAnswer,
  BYTES_FILE,
  CONSOLE_BUILD_VERSION,
  type ConsoleBuild,
  INDEX_FILE,
  type Span,
} from '#lib/console-build.ts'

/** Fixed bytes with holes between them. */
export type Answer = { headers: Record<string, string>; parts: Buffer[]; holes: string[] }
type ByLanguage<Value> = ReadonlyMap<string, Value>
export type Page = { route: string; parameters: string[]; answers: ByLanguage<ReadonlyMap<string, Answer>> }
export type File = { headers: Record<string, string>; identity: Buffer; gzip?: Buffer; br?: Buffer }
export type LoadedConsole = {
  languages: readonly string[]
  chosenBy: readonly string[]
  pages: Page[]
  notFound: ByLanguage<Answer>
  files: ReadonlyMap<string, File>
}

/**
 * Reads a built console into memory (about 6 MB, and 1 MB more for each further language), so that a build which replaces it while this
 * server runs changes nothing here.
 * Throws when there is none, or one of another version.
 */
export function loadConsole(folder: string): LoadedConsole {
  const build: ConsoleBuild = JSON.parse(readFileSync(join(folder, INDEX_FILE), 'utf8'))
  if (build.version !== CONSOLE_BUILD_VERSION)
    throw new Error(
      `${folder} has version ${build.version} of the built console, not ${CONSOLE_BUILD_VERSION}. Run npm run build.`,
    )
  const bytes = readFileSync(join(folder, BYTES_FILE))
  const at = ([offset, length]: Span) => bytes.subarray(offset, offset + length)
  const answer = ({ headers, body }: BuiltAnswer): Answer => ({ headers, parts: body.parts.map(at), holes: body.holes })
  return {
    languages: build.languages,
    chosenBy: build.chosenBy,
    pages: build.pages.map(({ route, parameters, answers }) => ({
      route,
      parameters,
      answers: mapOf(answers, (choices) => mapOf(choices, answer)),
    })),
    notFound: mapOf(build.notFound, answer),
    files: new Map(
      Object.entries(build.files).map(([path, { headers, identity, gzip, br }]) => [
        path,
        {
          headers,
          identity: at(identity),
          ...(gzip === undefined ? {} : { gzip: at(gzip) }),
          ...(br === undefined ? {} : { br: at(br) }),
        },
      ]),
    ),
  }
}

const mapOf = <From, To>(record: Record<string, From>, change: (from: From) => To): ReadonlyMap<string, To> =>
  new Map(Object.entries(record).map(([key, value]) => [key, change(value)]))

/** One pass over the parts, so that a value which looks like another placeholder stays a value. */
export function fill(answer: Answer, values: ReadonlyMap<string, string>): Buffer {
  const pieces: Buffer[] = []
  answer.parts.forEach((part, index) => {
    pieces.push(part)
    const hole = answer.holes[index]
    if (hole === undefined) return
    const value = values.get(hole)
    if (value === undefined) throw new Error(`no value for ${hole}`)
    pieces.push(Buffer.from(value))
  })
  return Buffer.concat(pieces)
}
