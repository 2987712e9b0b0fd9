import { isJsonObject, type JsonValue } from '#lib/json.ts'
import { isMasked } from '#lib/rules/masked.ts'
import type { Execution } from '#lib/schemas/executions.ts'

/** Whether the whole input is shown to this reader: nothing in it is masked, and none of it was erased. */
export const canBeRead = ({ input, erased }: Pick<Execution, 'input' | 'erased'>): boolean =>
  erased.length === 0 && isJsonObject(input) && Object.keys(input).length > 0 && !hasMasked(input)

function hasMasked(value: JsonValue): boolean {
  if (isMasked(value)) return true
  return typeof value === 'object' && value !== null && Object.values(value).some(hasMasked)
}

/** The first of each that has the same value. */
export function different<T>(all: readonly T[], inputOf: (one: T) => JsonValue): T[] {
  const seen = new Set<string>()
  return all.filter((one) => {
    const text = JSON.stringify(inputOf(one))
    return seen.has(text) ? false : seen.add(text)
  })
}
