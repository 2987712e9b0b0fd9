import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { Id } from '#lib/schemas/common.ts'
import { invalidFilter } from '../protocol/errors.ts'
import type { Filter } from '../protocol/filter.ts'
import { localName } from '../protocol/local-name.ts'
import { groupSchema } from '../schemas/group.ts'

/** A filter of groups as a condition of SQL. Throws 400 `invalidFilter` for what providers don't send. */
export function conditionOfGroups(filter: Filter): Expression<SqlBool> {
  switch (filter.kind) {
    case 'and':
      return sql<boolean>`(${conditionOfGroups(filter.left)} and ${conditionOfGroups(filter.right)})`
    case 'or':
      return sql<boolean>`(${conditionOfGroups(filter.left)} or ${conditionOfGroups(filter.right)})`
    case 'compare':
      return comparison(filter)
    default:
      throw unsupported()
  }
}

const unsupported = () =>
  invalidFilter(
    'Groups can be filtered by id, externalId, displayName and members.value, each with eq, combined by and, or and brackets.',
  )

function comparison({ attribute, operator, value }: Extract<Filter, { kind: 'compare' }>): RawBuilder<boolean> {
  if (operator !== 'eq') throw unsupported()
  if (typeof value !== 'string') throw invalidFilter(`${attribute} is compared with a text.`)
  const isId = Id.safeParse(value).success
  switch (localName(attribute, groupSchema.id)) {
    case 'id':
      return isId ? sql<boolean>`(provisioned.id = ${value})` : sql<boolean>`false`
    case 'externalid':
      return sql<boolean>`(provisioned.external_id = ${value})`
    case 'displayname':
      return sql<boolean>`(provisioned.name = ${value})`
    case 'members':
    case 'members.value':
      return isId
        ? sql<boolean>`exists (select from mapped_members named where named.tenant_id = provisioned.tenant_id
            and named.source = 'scim' and named.name = provisioned.name and named.member_id = ${value})`
        : sql<boolean>`false`
    default:
      throw unsupported()
  }
}
