import { isJsonObject, type JsonObject } from '#lib/json.ts'
import { addressOf, metaOf } from '../address.ts'
import { invalidValue } from '../protocol/errors.ts'
import { groupSchema } from '../schemas/group.ts'
import type { GroupRow } from './store.ts'

/** What a provider may set of a group. */
export type Group = { name: string; externalId: string | null; memberIds: string[] }

/** Reads a whole group from the writable attributes of a resource. Throws 400 `invalidValue`. */
export function groupOf({ displayName, externalId, members }: JsonObject): Group {
  if (typeof displayName !== 'string' || displayName.trim() === '') throw invalidValue('displayName: Required.')
  const ids = (Array.isArray(members) ? members.filter(isJsonObject) : []).map(({ value }) => {
    if (typeof value !== 'string') throw invalidValue('members: Each must have the id of a user as its value.')
    return value
  })
  return {
    name: displayName,
    externalId: typeof externalId === 'string' ? externalId : null,
    memberIds: [...new Set(ids)],
  }
}

/** The writable attributes of a group as they are. */
export const attributesOfGroup = ({ name, externalId }: GroupRow, memberIds: readonly string[]): JsonObject => ({
  ...(externalId === null ? {} : { externalId }),
  displayName: name,
  ...(memberIds.length === 0
    ? {}
    : { members: memberIds.map((id) => ({ value: id, $ref: addressOf(`Users/${id}`), type: 'User' })) }),
})

export const versionOfGroup = ({ revision }: GroupRow): string => `W/"${revision}"`

export const groupResource = (row: GroupRow, memberIds: readonly string[]): JsonObject => ({
  schemas: [groupSchema.id],
  id: row.id,
  ...attributesOfGroup(row, memberIds),
  meta: metaOf('Group', `Groups/${row.id}`, {
    created: row.createdAt,
    lastModified: row.updatedAt,
    version: versionOfGroup(row),
  }),
})
