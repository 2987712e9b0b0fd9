import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { Id } from '#lib/schemas/common.ts'
import { conditionOf } from '../protocol/condition-store.ts'
import { invalidFilter } from '../protocol/errors.ts'
import type { Filter } from '../protocol/filter.ts'
import { localName } from '../protocol/local-name.ts'
import { userSchema } from '../schemas/user.ts'
import { userName } from './store.ts'

const supported =
  'Users can be filtered by id, externalId, userName, displayName, emails.value and active, each with eq, combined by and, or and brackets.'

/** A filter of users as a condition of SQL. Throws 400 `invalidFilter` for what providers don't send. */
export const conditionOfUsers = (filter: Filter): Expression<SqlBool> => conditionOf(filter, supported, equal)

function equal(attribute: string, value: unknown): RawBuilder<boolean> | undefined {
  const name = localName(attribute, userSchema.id)
  if (name === 'active') {
    const wanted = typeof value === 'string' ? value.toLowerCase() : String(value)
    if (wanted !== 'true' && wanted !== 'false') throw invalidFilter('active is compared with true or false.')
    return sql<boolean>`((member.status = 'active') = ${wanted === 'true'})`
  }
  if (typeof value !== 'string') throw invalidFilter(`${attribute} is compared with a text.`)
  switch (name) {
    case 'id':
      // Text that is not an id names no one.
      return Id.safeParse(value).success ? sql<boolean>`(member.id = ${value})` : sql<boolean>`false`
    case 'externalid':
      return sql<boolean>`(member.subject = ${value})`
    case 'username':
      return sql<boolean>`(lower(${userName}) = lower(${value}))`
    case 'displayname':
      return sql<boolean>`(lower(case when sent.member_id is null then member.display_name else sent.display_name end) = lower(${value}))`
    case 'emails':
    case 'emails.value':
      return sql<boolean>`(case when sent.member_id is null then lower(member.email) = lower(${value})
        else exists (select from jsonb_array_elements(sent.emails) one where lower(one ->> 'value') = lower(${value})) end)`
    default:
      return undefined
  }
}
