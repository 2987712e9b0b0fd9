import { notFound } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json.ts'
import { wireLimits } from '#server/kernel/limits.ts'
import { metaOf } from './address.ts'
import { listResponse, pageSize } from './protocol/list-request.ts'
import type { Schema } from './schemas/attribute.ts'
import { groupSchema } from './schemas/group.ts'
import { userSchema } from './schemas/user.ts'

const core = 'urn:ietf:params:scim:schemas:core:2.0'

/** RFC 7643, section 5: what this server can do. */
export const serviceProviderConfig = (): JsonObject => ({
  schemas: [`${core}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: wireLimits.json.bytes },
  filter: { supported: true, maxResults: pageSize.most },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Connection token',
      description: 'A connection token with the use scim, sent as a bearer token.',
      primary: true,
    },
  ],
  meta: metaOf('ServiceProviderConfig', 'ServiceProviderConfig'),
})

const types = [
  { name: 'User', endpoint: '/Users', schema: userSchema },
  { name: 'Group', endpoint: '/Groups', schema: groupSchema },
]

const resourceType = ({ name, endpoint, schema }: (typeof types)[number]): JsonObject => ({
  schemas: [`${core}:ResourceType`],
  id: name,
  name,
  endpoint,
  description: schema.description,
  schema: schema.id,
  meta: metaOf('ResourceType', `ResourceTypes/${name}`),
})

const schemaResource = ({ id, name, description, attributes }: Schema): JsonObject => ({
  schemas: [`${core}:Schema`],
  id,
  name,
  description,
  attributes: JSON.parse(JSON.stringify(attributes)),
  meta: metaOf('Schema', `Schemas/${id}`),
})

const found = (resources: JsonObject[], id: string): JsonObject => {
  const resource = resources.find((one) => one.id === id)
  if (resource === undefined) throw notFound()
  return resource
}
const all = (resources: JsonObject[]): JsonObject => listResponse(resources.length, 1, resources)

export const resourceTypes = (): JsonObject => all(types.map(resourceType))
export const resourceTypeNamed = (id: string): JsonObject => found(types.map(resourceType), id)
export const schemas = (): JsonObject => all([userSchema, groupSchema].map(schemaResource))
export const schemaNamed = (id: string): JsonObject => found([userSchema, groupSchema].map(schemaResource), id)
