import { CompiledQuery } from 'kysely'
import { appendText } from '#server/kernel/audit/store.ts'
import { constantText } from '#server/kernel/db/statements/constant-text.ts'
import { parseExactly } from './state.ts'

/** The JSON of a row that was read, with other values in some columns. */
export const changedRow = (row: string, changes: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ ...(parseExactly(row) as object), ...changes })

/**
 * Whether the database writes the JSON of a new row back as this process does. It does not for numbers from 1e21 on, which it writes
 * without an exponent.
 */
export const isWrittenAlike = (row: string): boolean => !/\d[eE]\+/.test(row)

// Owned by this module: one text for each call of a function.
const texts = new Map<string, string>()

const textOf = ({ sql, parameters }: CompiledQuery, count: number): string => {
  const known = texts.get(sql)
  if (known !== undefined) return known
  const more = Array.from({ length: count }, (_, at) => `$${parameters.length + 1 + at}`)
  // The triggers need not note rows that the process knows (migration 0125).
  const quietly = `case when set_config('app.rows_known', 'on', true) = 'on' then ${sql} end`
  const text = constantText(`select record_outcome(${quietly}, ${more.join(', ')}) as outcome`)
  texts.set(sql, text)
  return text
}

/**
 * One statement that calls `call`, writes the states if it has done its work, and appends the records (migration 0115). `states` comes
 * from writeStates, `append` from appendRecords.
 */
export function concludingStatement(call: CompiledQuery, states: CompiledQuery, append: CompiledQuery): CompiledQuery {
  if (append.sql !== appendText) throw new Error('unreachable: a transaction ends by appending its records')
  const [tenantId, ...ofStates] = states.parameters
  const [, moment, ...ofRecords] = append.parameters
  const more = [tenantId, moment, ...ofStates, ...ofRecords]
  return CompiledQuery.raw(textOf(call, more.length), [...call.parameters, ...more])
}
