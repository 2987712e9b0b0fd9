import { type Compilable, CompiledQuery } from 'kysely'
import type { Transaction } from '#server/kernel/db/closing.ts'
import { constantText } from './constant-text.ts'

/** Begins a placeholder in the parameters of a statement that is compiled once. PostgreSQL can't store it, so no value is one. */
const mark = '\0given '

type Values<V> = { readonly [K in keyof V]: V[K] extends string[] ? readonly string[] : V[K] }

/**
 * A statement whose text never depends on its values. `build` composes it once, with placeholders for the values, whose types are those of
 * `like`: composing a statement for each call costs this process more than sending it. A list of values has to be one parameter, as
 * in `= any(…)`, because its placeholder is not a list. `keep` registers the text: as one that is constant, or that is also prepared at its first use.
 */
export function fixedStatement<V extends Record<string, string | string[]>, Row>(
  like: V,
  build: (tx: Transaction, given: Values<V>) => Compilable<Row>,
  keep: (text: string) => string = constantText,
): (tx: Transaction, values: Values<V>) => Promise<Row[]> {
  const names = Object.keys(like)
  const placeholders = new Map<unknown, string>(names.map((name) => [`${mark}${name}`, name]))
  let compiled: { text: string; parameters: readonly unknown[] } | undefined
  return async (tx, values) => {
    if (compiled === undefined) {
      const given: unknown = Object.fromEntries(names.map((name) => [name, `${mark}${name}`]))
      const { sql, parameters } = build(tx, given as Values<V>).compile()
      compiled = { text: keep(sql), parameters }
    }
    const byName: Readonly<Record<string, unknown>> = values
    const filled = (parameter: unknown): unknown => {
      if (Array.isArray(parameter)) return parameter.map(filled)
      const name = placeholders.get(parameter)
      return name === undefined ? parameter : byName[name]
    }
    const { rows } = await tx.executeQuery<Row>(CompiledQuery.raw(compiled.text, compiled.parameters.map(filled)))
    return rows
  }
}
