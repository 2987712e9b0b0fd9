import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { invalidFilter } from './errors.ts'
import type { Filter } from './filter.ts'

type Compared = Extract<Filter, { kind: 'compare' }>

/**
 * A filter as a condition of SQL. `equal` is the condition of one comparison by eq. Throws 400 `invalidFilter` with the text
 * `supported` for what providers don't send.
 */
export function conditionOf(
  filter: Filter,
  supported: string,
  equal: (attribute: string, value: Compared['value']) => RawBuilder<boolean> | undefined,
): Expression<SqlBool> {
  const within = (one: Filter) => conditionOf(one, supported, equal)
  switch (filter.kind) {
    case 'and':
      return sql<boolean>`(${within(filter.left)} and ${within(filter.right)})`
    case 'or':
      return sql<boolean>`(${within(filter.left)} or ${within(filter.right)})`
    case 'compare': {
      const condition = filter.operator === 'eq' ? equal(filter.attribute, filter.value) : undefined
      if (condition === undefined) throw invalidFilter(supported)
      return condition
    }
    default:
      throw invalidFilter(supported)
  }
}
