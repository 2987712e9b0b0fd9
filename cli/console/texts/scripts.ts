import type { Language } from '#lib/languages.ts'
import { sourceLanguage } from '#lib/languages.ts'
import { check } from '../format-error.ts'
import type { Catalogs } from './catalogs.ts'
import { hasTexts, textsInDocument, textsInScript } from './put-texts.ts'

export type Scripts = {
  /** All assets by their path, scripts with texts once in each language. */
  assets: [path: string, content: Buffer][]
  /** Turns a document or its flight data into one of the language. */
  translations: ReadonlyMap<Language, (name: string, text: string) => string>
}

/** How documents, flight data and scripts refer to a script. */
const REFERENCE = /\bchunks\/([\w.~-]+)\.js\b/g
const SCRIPT = /\/chunks\/([\w.~-]+)\.js$/

/**
 * Writes each script that has texts, or that refers to such a script, once in each language. The English one keeps its name, German
 * is `<name>.de.js`; other scripts are the same file in all languages.
 */
export function inEachLanguage(
  assets: readonly [path: string, content: Buffer][],
  buildId: string,
  { languages, catalogs }: { languages: readonly Language[]; catalogs: Catalogs },
): Scripts {
  const scripts = new Map(
    assets.flatMap(([path, content]) => {
      const name = SCRIPT.exec(path)?.[1]
      return name === undefined ? [] : [[name, content.toString('utf8')] as const]
    }),
  )
  const own = withTexts(scripts)
  const rename = (text: string, language: Language) =>
    text.replaceAll(REFERENCE, (whole, name: string) => (own.has(name) ? `chunks/${named(name, language)}.js` : whole))
  const put = (path: string, text: string, language: Language) =>
    rename(textsInScript(path, text, language, catalogs), language)
  return {
    assets: assets.flatMap(([path, content]): [string, Buffer][] => {
      const name = SCRIPT.exec(path)?.[1]
      if (name === undefined || !own.has(name)) return [[path, content]]
      return languages.map((language) => [
        path.replace(SCRIPT, `/chunks/${named(name, language)}.js`),
        Buffer.from(put(path, content.toString('utf8'), language)),
      ])
    }),
    translations: new Map(
      languages.map((language) => [
        language,
        (name, text) =>
          ofOwnBuild(rename(textsInDocument(name, text, language, catalogs), language), buildId, language),
      ]),
    ),
  }
}

const named = (name: string, language: Language): string => (language === sourceLanguage ? name : `${name}.${language}`)

/**
 * The router loads a document again when its flight data comes from another build: so a page does not mix languages after another tab
 * has chosen one.
 */
function ofOwnBuild(text: string, buildId: string, language: Language): string {
  if (language === sourceLanguage) return text
  check(/^[\w-]+$/.test(buildId), `the build has the id ${buildId}`)
  return text.replaceAll(new RegExp(`(b\\\\*":\\\\*")${buildId}(?=\\\\*")`, 'g'), `$1${buildId}.${language}`)
}

/** The scripts with texts, and those that refer to one of them. */
function withTexts(scripts: ReadonlyMap<string, string>): ReadonlySet<string> {
  const own = new Set([...scripts].filter(([, text]) => hasTexts(text)).map(([name]) => name))
  for (let before = -1; before !== own.size; ) {
    before = own.size
    for (const [name, text] of scripts)
      if (!own.has(name) && [...text.matchAll(REFERENCE)].some(([, other = '']) => own.has(other))) own.add(name)
  }
  return own
}
