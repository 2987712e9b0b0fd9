import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { Id } from '#lib/schemas/common.ts'
import { conditionOf } from '../protocol/condition-store.ts'
import { invalidFilter } from '../protocol/errors.ts'
import type { Filter } from '../protocol/filter.ts'
import { localName } from '../protocol/local-name.ts'
import { groupSchema } from '../schemas/group.ts'

const supported =
  'Groups can be filtered by id, externalId, displayName and members.value, each with eq, combined by and, or and brackets.'

/** A filter of groups as a condition of SQL. Throws 400 `invalidFilter` for what providers don't send. */
export const conditionOfGroups = (filter: Filter): Expression<SqlBool> => conditionOf(filter, supported, equal)

function equal(attribute: string, value: unknown): RawBuilder<boolean> | undefined {
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
      return undefined
  }
}
