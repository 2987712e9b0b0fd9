import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, resolve } from 'node:path'

/**
 * Reads a module and everything that it imports. `join` makes their JavaScript, as one text without imports: a page that is
 * opened from disk can't load other files. Comments and line breaks stay, so that a reader of the archive can read its verifier.
 * Modules may import only each other, by name, and no name may be declared in two of them.
 */
export function readModules(entry: string): { paths: string[]; join(): string } {
  const sources = new Map<string, string>()
  const add = (path: string) => {
    if (sources.has(path)) return
    const source = readFileSync(path, 'utf8')
    // Takes its place before those it imports are read, so that a circle ends; it moves behind them below.
    sources.set(path, source)
    for (const [, from = ''] of source.matchAll(importLine)) add(resolve(dirname(path), from))
    sources.delete(path)
    sources.set(path, source)
  }
  add(entry)
  return { paths: [...sources.keys()], join: () => join([...sources.values()]) }
}

function join(sources: readonly string[]): string {
  const text = sources
    .map((source) => withoutTypes(source.replaceAll(importLine, '')))
    .map((source) => source.replaceAll(/^export (?!\{|\*|default)/gm, '').trim())
    .join('\n\n')
  const left = /^(?:import|export)\b.*$/m.exec(text)?.[0]
  if (left !== undefined) throw new Error(`The module can’t be joined, because of: ${left}`)
  return `${text}\n`
}

const importLine = /^import (?:type )?\{[^}]*\} from '(\.{1,2}\/[^']+)'\n/gm

/** An operator can do nothing about Node's warning that this is experimental; its version is pinned. */
function withoutTypes(source: string): string {
  const emit = process.emitWarning
  process.emitWarning = () => undefined
  try {
    return stripTypeScriptTypes(source)
  } finally {
    process.emitWarning = emit
  }
}
