import { ApiError, notFound } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json.ts'
import { address } from './address-table.ts'
import { resourceTypeNamed, resourceTypes, schemaNamed, schemas, serviceProviderConfig } from './discovery.ts'
import { fixed, type Given, scim } from './door.ts'
import { patchGroup, replaceGroup } from './groups/change.ts'
import { createGroup } from './groups/create.ts'
import { getGroup } from './groups/get.ts'
import { listGroups } from './groups/list.ts'
import { removeGroup } from './groups/remove.ts'
import { notImplemented } from './protocol/errors.ts'
import { readSearch } from './protocol/list-request.ts'
import { listAnswer, resourceRoutes } from './resource-routes.ts'
import { groupSchema } from './schemas/group.ts'
import { userSchema } from './schemas/user.ts'
import { searchAll } from './search.ts'
import { createUser } from './users/create.ts'
import { getUser } from './users/get.ts'
import { listUsers } from './users/list.ts'
import { patchUser } from './users/patch.ts'
import { removeUser } from './users/remove.ts'
import { replaceUser } from './users/replace.ts'

/** Discovery can’t be filtered (RFC 7644, section 4). */
const discovery = (name: string, body: (given: Given) => JsonObject) => ({
  GET: fixed(name, (given) => {
    if (given.query.has('filter')) throw new ApiError('forbidden', 'This address can’t be filtered.')
    return { status: 200, body: body(given) }
  }),
})

const refuse = (name: string, error: () => ApiError) =>
  fixed(name, () => {
    throw error()
  })
const unknown = refuse('scim.unknown', notFound)

/**
 * SCIM 2.0 (RFC 7643, RFC 7644), most specific first. It has its own discovery, so it is not part of the operation catalog: every address
 * requires a connection token with the use scim, whose tenant it serves.
 */
export const scimRoutes = [
  address('/ServiceProviderConfig', discovery('scim.getConfig', serviceProviderConfig)),
  address('/ResourceTypes', discovery('scim.listResourceTypes', resourceTypes)),
  address(
    '/ResourceTypes/:id',
    discovery('scim.getResourceType', ({ id }) => resourceTypeNamed(id)),
  ),
  address('/Schemas', discovery('scim.listSchemas', schemas)),
  address(
    '/Schemas/:id',
    discovery('scim.getSchema', ({ id }) => schemaNamed(id)),
  ),
  ...resourceRoutes({
    name: 'User',
    schema: userSchema,
    list: listUsers,
    get: getUser,
    create: createUser,
    replace: replaceUser,
    patch: patchUser,
    remove: removeUser,
  }),
  ...resourceRoutes({
    name: 'Group',
    schema: groupSchema,
    list: listGroups,
    get: getGroup,
    create: createGroup,
    replace: replaceGroup,
    patch: patchGroup,
    remove: removeGroup,
  }),
  address('/.search', {
    POST: scim({
      name: 'scim.search',
      operation: searchAll,
      input: ({ body }) => readSearch(body),
      answer: (page, { body }) => listAnswer(page, readSearch(body)),
    }),
  }),
  address('/Bulk', { POST: refuse('scim.bulk', () => notImplemented('Bulk requests are not supported.')) }),
  address('/:path{.+}', { GET: unknown, POST: unknown, PUT: unknown, PATCH: unknown, DELETE: unknown }),
]
