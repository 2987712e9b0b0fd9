import type { CompiledMessage } from 'icu-minify/format'
import { message } from '#components/language/message.ts'
import type { Language } from '#lib/languages.ts'
import { check } from '../format-error.ts'
import type { Catalogs, Message } from './catalogs.ts'

/** A call that loader.mjs wrote. The minifier may have changed its quotes. */
const CALL = /\b__text\(["'`]([\w.-]+)(?:#([0-9a-f]+))?["'`]\)/g
/** What mark.ts wrote: the key, and the number of a part or the arguments. */
export const MARK_START = '⟦'
export const MARK = /⟦([\w.-]+)(?:\/(\d+)|\?([^⟧]*))?⟧/g
/** In documents these would need one escape in text, and others in flight data. */
const UNSAFE = /[<>&"'\\\p{Cc}]/u

/** A script with the texts of one language. */
export const textsInScript = (name: string, script: string, language: Language, catalogs: Catalogs): string =>
  script.replaceAll(CALL, (_, key: string, digest: string | undefined) => {
    const found = find(name, key, catalogs)
    // Its name would stay although its texts change.
    if (digest !== undefined && digest !== found.digest)
      throw new Error(`${name} was made with an older text of ${key}. Remove .next/cache and build again.`)
    return JSON.stringify(found.compiled[language]).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
  })

export const hasTexts = (script: string): boolean => script.search(CALL) >= 0

/** A document or its flight data in one language. Throws if a text would break the format, or has other parts than the English one. */
export const textsInDocument = (name: string, text: string, language: Language, catalogs: Catalogs): string =>
  text.replaceAll(MARK, (_, key: string, part: string | undefined, values: string | undefined) => {
    const found = find(name, key, catalogs)
    const shown =
      part !== undefined ? partOf(found, Number(part), language) : filled(found.compiled[language], values, language)
    if (UNSAFE.test(shown))
      throw new Error(
        `${key} is part of the prerendered ${name}, where ${language} can’t have < > & " ' or \\: ${shown}`,
      )
    return shown
  })

function find(name: string, key: string, catalogs: Catalogs): Message {
  const found = catalogs.get(key)
  check(found !== undefined, `${name} has the text ${key}, which the catalogs do not contain`)
  return found
}

function filled(compiled: CompiledMessage, values: string | undefined, language: Language): string {
  if (typeof compiled === 'string') return compiled
  return String(message(compiled, language)(JSON.parse(decodeURIComponent(values ?? ''))))
}

function partOf({ key, compiled }: Message, part: number, language: Language): string {
  const [own, english] = [shapeOf(compiled[language]), shapeOf(compiled.en)]
  if (own.shape !== english.shape)
    throw new Error(`${key} is prerendered, so ${language} needs its elements in the same places as English.`)
  return own.texts[part] ?? ''
}

/** The texts in their order, and the rest. */
function shapeOf(compiled: unknown): { shape: string; texts: string[] } {
  const texts: string[] = []
  const shape = JSON.stringify(
    (function walk(nodes: unknown): unknown {
      if (typeof nodes === 'string') return texts.push(nodes) && 0
      if (!Array.isArray(nodes)) return nodes
      return nodes.map((node: unknown) =>
        Array.isArray(node) ? [node[0], ...(walk(node.slice(1)) as unknown[])] : walk(node),
      )
    })(compiled),
  )
  return { shape, texts }
}
