import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, resolve } from 'node:path'

/**
 * The JavaScript of a module and of everything that it imports, as one text without imports: a page on a disk can load no
 * other file. Comments and line breaks stay, so that a reader of the archive can read its verifier. Modules may import only
 * each other, by name, and no name may be declared in two of them.
 */
export function joinModules(entry: string): string {
  const joined = new Map<string, string>()
  const add = (path: string) => {
    if (joined.has(path)) return
    // Takes its place before those it imports are read, so that a circle ends; it moves behind them below.
    joined.set(path, '')
    const source = withoutTypes(readFileSync(path, 'utf8'))
    for (const [, from = ''] of source.matchAll(importLine)) add(resolve(dirname(path), from))
    joined.delete(path)
    joined.set(path, source.replaceAll(importLine, '').replaceAll(/^export (?!\{|\*|default)/gm, ''))
  }
  add(entry)
  const text = [...joined.values()].map((source) => source.trim()).join('\n\n')
  const left = /^(?:import|export)\b.*$/m.exec(text)?.[0]
  if (left !== undefined) throw new Error(`The module can’t be joined, because of: ${left}`)
  return `${text}\n`
}

const importLine = /^import \{[^}]*\} from '(\.{1,2}\/[^']+)';?$\n?/gm

/** An operator can do nothing about Node's warning that this is experimental; its version is pinned. */
function withoutTypes(source: string): string {
  const emit = process.emitWarning
  process.emitWarning = () => undefined
  try {
    return stripTypeScriptTypes(source).replaceAll(/^import +\{ *\}.*$/gm, '')
  } finally {
    process.emitWarning = emit
  }
}
