import { gunzipSync } from 'node:zlib'
import type { Catalog, CatalogOperation } from '#lib/schemas/catalog.ts'
import { usageError } from './failure.ts'

/** The catalog of the server that this file belongs to: gzip in base64. The build writes it (cli/bundle-command-line.mjs). */
declare const EMBEDDED_CATALOG: string

let embedded: Catalog | undefined

export function embeddedCatalog(): Catalog {
  embedded ??= JSON.parse(gunzipSync(Buffer.from(EMBEDDED_CATALOG, 'base64')).toString()) as Catalog
  return embedded
}

export const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** The words that name an operation: `approvals.getPending` is `approvals get-pending`. */
export const wordsOf = ({ name }: CatalogOperation): string[] => name.split('.').map(kebab)

/** Every operation once: one behind a procedure and a route is called as a procedure. */
export function operations(catalog = embeddedCatalog()): CatalogOperation[] {
  const byName = new Map<string, CatalogOperation>()
  for (const operation of catalog.operations)
    if (!byName.has(operation.name) || operation.transport === 'procedure') byName.set(operation.name, operation)
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Finds an operation by its dotted name. Throws a usage error that names similar ones. */
export function operationNamed(name: string): CatalogOperation {
  const found = operations().find((operation) => operation.name === name)
  if (found !== undefined) return found
  const [namespace = ''] = name.split('.')
  const similar = operations().filter((operation) => operation.name.startsWith(`${namespace}.`))
  const hint = similar.length === 0 ? 'countersign catalog list' : similar.map((one) => one.name).join(', ')
  throw usageError(`Unknown operation: ${name}. See ${hint}.`)
}

/** The operation that the first words name, and the number of these words. */
export function operationIn(words: readonly string[]): { operation: CatalogOperation; used: number } | undefined {
  const asGiven = words.map(kebab)
  for (const operation of operations()) {
    const own = wordsOf(operation)
    if (own.every((word, index) => word === asGiven[index])) return { operation, used: own.length }
  }
  return undefined
}
