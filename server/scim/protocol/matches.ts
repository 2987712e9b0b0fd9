import type { JsonObject, JsonValue } from '#lib/json.ts'
import type { Filter } from './filter.ts'

/** Whether an element of a multi-valued attribute matches the filter in a path, such as `emails[type eq "work"]`. */
export function matches(element: JsonObject, filter: Filter): boolean {
  switch (filter.kind) {
    case 'and':
      return matches(element, filter.left) && matches(element, filter.right)
    case 'or':
      return matches(element, filter.left) || matches(element, filter.right)
    case 'not':
      return !matches(element, filter.of)
    case 'present':
      return valueIn(element, filter.attribute) !== undefined
    case 'compare':
      return compare(valueIn(element, filter.attribute), filter)
  }
}

const valueIn = (element: JsonObject, name: string): JsonValue | undefined =>
  Object.entries(element).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]

type Compared = Extract<Filter, { kind: 'compare' }>

function compare(found: JsonValue | undefined, { operator, value }: Compared): boolean {
  // Entra ID writes booleans as texts.
  const [one, other] = [textOf(found), textOf(value)]
  switch (operator) {
    case 'eq':
      return one === other
    case 'ne':
      return one !== other
    case 'co':
      return one !== undefined && other !== undefined && one.includes(other)
    case 'sw':
      return one !== undefined && other !== undefined && one.startsWith(other)
    case 'ew':
      return one !== undefined && other !== undefined && one.endsWith(other)
    default:
      return one !== undefined && other !== undefined && ordered(one, operator, other)
  }
}

const textOf = (value: JsonValue | undefined): string | undefined =>
  value === null || value === undefined ? undefined : String(value).toLowerCase()

function ordered(one: string, operator: string, other: string): boolean {
  if (operator === 'gt') return one > other
  if (operator === 'ge') return one >= other
  return operator === 'lt' ? one < other : one <= other
}
