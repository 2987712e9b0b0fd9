import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { visibleEmail, visibleName } from '#server/kernel/auth/external/foreign-token.ts'
import { addressOf, metaOf } from '../address.ts'
import { invalidValue } from '../protocol/errors.ts'
import { userSchema } from '../schemas/user.ts'
import { assignableRoles, isAssignable } from './roles.ts'
import type { PersonRow } from './store.ts'

/** What a provider may set of a person. Undefined: the request does not say. */
export type User = {
  externalId: string
  userName: string
  name: JsonObject | undefined
  displayName: string | undefined
  emails: JsonObject[]
  active: boolean | undefined
  roles: string[] | undefined
}

/** A group of the provider that a person is in. */
export type GroupOfUser = { memberId: string; id: string; name: string }

const objectsIn = (value: JsonValue | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : []
const textIn = (value: JsonValue | undefined): string | undefined => (typeof value === 'string' ? value : undefined)

/** Reads a whole user from the writable attributes of a resource. Throws 400 `invalidValue`. */
export function userOf(resource: JsonObject): User {
  const [externalId, userName] = [textIn(resource.externalId), textIn(resource.userName)]
  if (externalId === undefined || visibleName(externalId) !== externalId)
    throw invalidValue(
      'externalId: Required. It must be the subject (sub) of the person’s access tokens, at most 128 characters on one line.',
    )
  if (visibleName(userName) === undefined) throw invalidValue('userName: Required.')
  return {
    externalId,
    userName: userName ?? '',
    name: isJsonObject(resource.name) ? resource.name : undefined,
    displayName: textIn(resource.displayName),
    emails: objectsIn(resource.emails),
    active: typeof resource.active === 'boolean' ? resource.active : undefined,
    roles: resource.roles === undefined ? undefined : objectsIn(resource.roles).map(roleIn),
  }
}

function roleIn({ value }: JsonObject): string {
  if (typeof value === 'string' && isAssignable(value)) return value
  throw invalidValue(
    `roles: ${typeof value === 'string' ? value : 'A value'} can’t be given by SCIM. Possible are ${assignableRoles.join(', ')}.`,
  )
}

/** The names of the membership: one line each, without invisible characters. */
export function namesOf({ userName, displayName, name, emails }: User): {
  username: string
  displayName: string
  email: string | undefined
} {
  const username = visibleName(userName) ?? userName
  const parts = [name?.givenName, name?.familyName].filter((part) => typeof part === 'string').join(' ')
  const shown = [displayName, name?.formatted, parts].map(visibleName).find((text) => text !== undefined)
  const address = emails.find(({ primary }) => primary === true) ?? emails[0]
  return { username, displayName: shown ?? username, email: visibleEmail(address?.value) }
}

/** The writable attributes of a person as they are. Of someone who signed in before, those that the token had. */
export function attributesOfUser(row: PersonRow): JsonObject {
  const sent = row.sentUserName !== null
  const roles = row.roles.filter(isAssignable).map((value) => ({ value }))
  const emails = sent
    ? objectsIn(row.sentEmails as JsonValue)
    : row.email === null
      ? []
      : [{ value: row.email, primary: true }]
  const displayName = sent ? row.sentDisplayName : row.displayName
  return {
    externalId: row.subject,
    userName: row.sentUserName ?? row.username,
    ...(isJsonObject(row.sentName) ? { name: row.sentName } : {}),
    ...(displayName === null ? {} : { displayName }),
    active: row.status === 'active',
    ...(emails.length === 0 ? {} : { emails }),
    ...(roles.length === 0 ? {} : { roles }),
  }
}

/** Changes with each change of the membership or of what the provider sent. */
export const versionOfUser = ({ revision, sentRevision }: PersonRow): string => `W/"${revision}.${sentRevision ?? 0}"`

/** The last change of the provider, or of someone else (`changedHere`); a suspension also ends the tokens of the member. */
const lastModifiedOf = ({ createdAt, updatedAt, tokensNotBefore }: PersonRow, changedHere: Date | undefined): Date =>
  [updatedAt, tokensNotBefore, changedHere ?? null].reduce<Date>(
    (last, at) => (at !== null && at > last ? at : last),
    createdAt,
  )

export function userResource(
  row: PersonRow,
  { groups, changedHere }: { groups: readonly GroupOfUser[]; changedHere: Date | undefined },
): JsonObject {
  const own = groups.filter(({ memberId }) => memberId === row.id)
  return {
    schemas: [userSchema.id],
    id: row.id,
    ...attributesOfUser(row),
    ...(own.length === 0
      ? {}
      : {
          groups: own.map(({ id, name }) => ({
            value: id,
            $ref: addressOf(`Groups/${id}`),
            display: name,
            type: 'direct',
          })),
        }),
    meta: metaOf('User', `Users/${row.id}`, {
      created: row.createdAt,
      lastModified: lastModifiedOf(row, changedHere),
      version: versionOfUser(row),
    }),
  }
}
