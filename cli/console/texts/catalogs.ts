import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import compile from 'icu-minify/compile'
import type { CompiledMessage } from 'icu-minify/format'
import { sourceOf } from '#components/language/text.ts'
import type { Language } from '#lib/languages.ts'
import { pseudo } from './pseudo.ts'

/** A message in every language. */
export type Message = {
  area: string
  /** Of the export in the area's en.ts. */
  name: string
  /** `<area>.<name>`. */
  key: string
  /** Of its text in all languages. */
  digest: string
  compiled: Record<Language, CompiledMessage>
}

/** All messages by their key. */
export type Catalogs = ReadonlyMap<string, Message>

/** Every area below `folder` (`components/texts`). A folder without catalogs has none. */
export async function readCatalogs(folder: string): Promise<Catalogs> {
  const found = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []
  const areas = await Promise.all(
    found.filter((entry) => entry.isDirectory()).map(({ name }) => readArea(join(folder, name), name)),
  )
  return new Map(areas.flat().map((message) => [message.key, message]))
}

/** Throws if a message lacks a language or can't be parsed. */
async function readArea(folder: string, area: string): Promise<Message[]> {
  const english = await load(join(folder, 'en.ts'))
  const german = Object.values(await load(join(folder, 'de.ts')))[0] as Record<string, string>
  return Object.entries(english).map(([name, text]): Message => {
    const [en, de] = [sourceOf(text), german[name]]
    if (de === undefined) throw new Error(`${folder}/de.ts lacks ${name}.`)
    return {
      area,
      name,
      key: `${area}.${name}`,
      digest: createHash('sha256')
        .update(JSON.stringify([en, de]))
        .digest('hex')
        .slice(0, 6),
      compiled: {
        en: compile(en),
        de: compile(de),
        // The language itself stays: its names are not texts.
        'en-XA': area === 'language' ? compile(en) : pseudo(compile(en)),
      },
    }
  })
}

/** Of all texts. As an option of the loader it makes Next's cache forget modules with other texts. */
export const digestOfTexts = (catalogs: Catalogs): string =>
  createHash('sha256')
    .update([...catalogs.values()].map(({ key, digest }) => `${key}#${digest}`).join())
    .digest('hex')

/** Locales, which code passes on while it renders a page. */
const FOR_FORMATS = new Set(['language.tag', 'language.dates'])

/**
 * What takes the place of each area's en.ts in a build, by area. The name in a call ends with a digest of the message in all
 * languages, so that a script has another name after one of its texts has changed.
 */
export function modulesOf(catalogs: Catalogs): Record<string, string> {
  const areas = Object.groupBy(catalogs.values(), ({ area }) => area)
  return Object.fromEntries(Object.entries(areas).map(([area, messages = []]) => [area, moduleOf(messages)]))
}

function moduleOf(messages: readonly Message[]): string {
  // Names with `__`, because those of the texts are exports of the same module.
  const lines = messages.map(({ name, key, digest, compiled }) => {
    const call = `__text(${JSON.stringify(`${key}#${digest}`)})`
    const [marked, shown] = FOR_FORMATS.has(key)
      ? [JSON.stringify(compiled.en), call]
      : typeof compiled.en === 'string'
        ? [`__mark(${JSON.stringify(key)})`, call]
        : [`__markMessage(${JSON.stringify(key)}, ${JSON.stringify(compiled.en)})`, `__message(${call}, __locale)`]
    return `export const ${name} = typeof window === 'undefined' ? ${marked} : ${shown}`
  })
  const formatted = messages.some(({ key, compiled }) => typeof compiled.en !== 'string' && !FOR_FORMATS.has(key))
  return [
    `import { mark as __mark } from '#components/language/mark.ts'`,
    // Scripts of areas without arguments do without the formatter.
    ...(formatted
      ? [
          `import { markMessage as __markMessage } from '#components/language/mark-message.ts'`,
          `import { message as __message } from '#components/language/message.ts'`,
          `const __locale = typeof window === 'undefined' ? 'en' : __text('language.tag')`,
        ]
      : []),
    ...lines,
  ].join('\n')
}

const load = async (file: string): Promise<Record<string, unknown>> => await import(pathToFileURL(file).href)
