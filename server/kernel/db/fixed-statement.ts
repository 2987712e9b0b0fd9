import { type Compilable, CompiledQuery } from 'kysely'
import { constantText } from './constant-text.ts'
import type { Transaction } from './transaction.ts'

/** Begins a placeholder in the parameters of a statement that is compiled once. PostgreSQL can't store it, so no value is one. */
const mark = '\0given '

type Given<N extends string> = Readonly<Record<N, string>>

/**
 * A statement whose text never depends on its values. `build` composes it once, with placeholders for the values: composing a long
 * statement for each call would cost more than executing it.
 */
export function fixedStatement<N extends string, Row>(
  names: readonly N[],
  build: (tx: Transaction, given: Given<N>) => Compilable<Row>,
): (tx: Transaction, values: Readonly<Record<N, unknown>>) => Promise<Row[]> {
  const placeholders = new Map(names.map((name) => [`${mark}${name}`, name]))
  let compiled: { text: string; parameters: readonly unknown[] } | undefined
  return async (tx, values) => {
    if (compiled === undefined) {
      const given = Object.fromEntries(names.map((name) => [name, `${mark}${name}`])) as Given<N>
      const { sql, parameters } = build(tx, given).compile()
      compiled = { text: constantText(sql), parameters }
    }
    const filled = (parameter: unknown): unknown => {
      if (Array.isArray(parameter)) return parameter.map(filled)
      const name = typeof parameter === 'string' ? placeholders.get(parameter) : undefined
      return name === undefined ? parameter : values[name]
    }
    const { rows } = await tx.executeQuery<Row>(CompiledQuery.raw(compiled.text, compiled.parameters.map(filled)))
    return rows
  }
}
